// SPDX-License-Identifier: MIT OR Apache-2.0

#include "verilator-sys/cpp/bridge.h"

#include <cstdio>

#include "verilator-sys/src/ffi.rs.h"

namespace verilator_sys {

LibraryFacts library_facts(const DutLibrary* library) {
  LibraryFacts facts{};
  facts.abi = library->abi;
  const bool covers = library->abi == kDutAbiOfCoverage;
  if (library->abi != kDutAbi && library->abi != kDutAbiOfStarts && !covers) return facts;
  facts.input_bytes = library->input_bytes;
  facts.output_bytes = library->output_bytes;
  facts.parameter_bytes = library->parameter_bytes;
  facts.top = rust::String::lossy(library->top);
  facts.verilator_version = rust::String::lossy(library->verilator_version);
  facts.untraced = library->create != nullptr;
  facts.traced = library->create_traced != nullptr;
  facts.starts = library->abi != kDutAbi && library->create_from != nullptr;
  facts.covers = covers;
  return facts;
}

std::unique_ptr<Dut> create(const DutLibrary* library, bool traced, std::uint32_t start,
                            std::uint8_t* ring, std::size_t size, std::uint64_t* printed) {
  // What C code of the design prints is there when it has printed a line, and not when the process
  // ends (DUT-44).
  static const int by_line = std::setvbuf(stdout, nullptr, _IOLBF, 0);
  static_cast<void>(by_line);
  const Tail tail{reinterpret_cast<char*>(ring), size, printed};
  if (start != 0) return std::unique_ptr<Dut>(library->create_from(tail, start));
  const auto factory = traced ? library->create_traced : library->create;
  return std::unique_ptr<Dut>(factory ? factory(tail) : nullptr);
}

std::size_t run(Dut& dut, rust::Slice<const std::uint8_t> inputs, rust::Slice<std::uint8_t> outputs,
                std::size_t cycles) {
  return dut.run(inputs.data(), outputs.data(), cycles);
}

std::size_t run_bare(Dut& dut, rust::Slice<const std::uint8_t> inputs, std::size_t cycles) {
  return dut.run_bare(inputs.data(), cycles);
}

bool stopped(const Dut& dut) { return dut.stop() != nullptr; }

StopRecord stop(const Dut& dut) {
  StopRecord record{};
  if (const Stop* const stop = dut.stop()) {
    record.kind = static_cast<std::uint32_t>(stop->kind);
    record.line = stop->line;
    record.file = rust::String::lossy(stop->file);
    record.text = rust::String::lossy(stop->text);
    record.cycle = stop->cycle;
    record.time_ns = stop->time_ns;
  }
  return record;
}

void finish(Dut& dut) {
  dut.finish();
  std::fflush(stdout);
}

void parameters(const Dut& dut, rust::Slice<std::uint8_t> bytes) { dut.parameters(bytes.data()); }

std::uint64_t cycles(const Dut& dut) { return dut.cycles(); }

void set_cycle(Dut& dut, std::uint64_t cycle) { dut.set_cycle(cycle); }

void set_heartbeat(Dut& dut, std::uint64_t* counter) { dut.set_heartbeat(counter); }

std::int32_t trace_open(Dut& dut, const std::string& path) { return dut.trace_open(path.c_str()); }

std::int32_t trace_close(Dut& dut) { return dut.trace_close(); }

std::int32_t write_coverage(const DutLibrary* library, Dut& dut, const std::string& path) {
  return library->write_coverage(dut, path.c_str());
}

rust::String log(const Dut& dut) {
  const Text text = dut.log();
  return rust::String::lossy(text.data, text.size);
}

std::uint64_t log_dropped(const Dut& dut) { return dut.log_dropped(); }

void clear_log(Dut& dut) { dut.clear_log(); }

}  // namespace verilator_sys
