// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Forwards the calls of src/ffi.rs to dut.h: cxx's types on one side, plain data on the other.

#ifndef VERILATOR_SYS_BRIDGE_H_
#define VERILATOR_SYS_BRIDGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rust/cxx.h"
#include "verilator-sys/cpp/dut.h"

namespace verilator_sys {

struct LibraryFacts;
struct StopRecord;

LibraryFacts library_facts(const DutLibrary* library);
std::unique_ptr<Dut> create(const DutLibrary* library, bool traced, std::uint32_t start,
                            std::uint8_t* ring, std::size_t size, std::uint64_t* printed);

std::size_t run(Dut& dut, rust::Slice<const std::uint8_t> inputs, rust::Slice<std::uint8_t> outputs,
                std::size_t cycles);
std::size_t run_bare(Dut& dut, rust::Slice<const std::uint8_t> inputs, std::size_t cycles);
bool stopped(const Dut& dut);
StopRecord stop(const Dut& dut);
void finish(Dut& dut);
void parameters(const Dut& dut, rust::Slice<std::uint8_t> bytes);
std::uint64_t cycles(const Dut& dut);
void set_cycle(Dut& dut, std::uint64_t cycle);
void set_heartbeat(Dut& dut, std::uint64_t* counter);
std::int32_t trace_open(Dut& dut, const std::string& path);
std::int32_t trace_close(Dut& dut);
std::int32_t write_coverage(const DutLibrary* library, Dut& dut, const std::string& path);
rust::String log(const Dut& dut);
std::uint64_t log_dropped(const Dut& dut);
void clear_log(Dut& dut);

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_BRIDGE_H_
