// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The boundary between a Verilated design and whoever drives it.
//
// Everything here is plain data and virtual functions that do not throw, so that a design built by
// another compiler, or by another version of Verilator, into a shared library can stand behind the
// same interface as one that is linked in. The layout of this file is the ABI: a change to it
// is a change of kDutAbi.

#ifndef VERILATOR_SYS_DUT_H_
#define VERILATOR_SYS_DUT_H_

#include <cstddef>
#include <cstdint>

namespace verilator_sys {

// Version of everything in this file. A library that states another one must not be used.
constexpr std::uint32_t kDutAbi = 3;

// The same with create_from. A library without it states kDutAbi.
constexpr std::uint32_t kDutAbiOfStarts = 4;

// The same with write_coverage, and with create_from, which may be null.
constexpr std::uint32_t kDutAbiOfCoverage = 5;

// Length of a clock cycle in the time of the design; the clock rises at the start and falls in the
// middle of it. The design is Verilated with a time unit and precision of one nanosecond.
constexpr std::uint64_t kCycleNs = 10;

// Why a design stopped. The numbers are part of the ABI.
enum class StopKind : std::uint32_t {
  kNone = 0,
  kFinish = 1,   // $finish
  kStop = 2,     // $stop, and $error or a failed assertion: `text` tells which
  kFatal = 3,    // $fatal
  kRuntime = 4,  // an error that Verilator's run time found, such as logic that does not settle
};

// The first thing that stopped a design. Strings are NUL-terminated, never null, and live as long
// as the Dut that returned them.
struct Stop {
  StopKind kind;
  std::uint32_t line;   // 0 if unknown
  const char* file;     // "" if unknown
  const char* text;     // message as the run time printed it; "" for a bare $stop or $finish
  std::uint64_t cycle;  // cycles completed since creation, which is the index of the failing one
  std::uint64_t time_ns;
};

// A run of bytes that is not NUL-terminated.
struct Text {
  const char* data;
  std::size_t size;
};

// Where printed text is written to besides the log, at once and from the initial blocks on: byte k
// since the last clear_log() is byte k modulo `size` of `ring`, and the number of them is stored at
// `printed`. In memory that outlives the process it tells what a design that crashed printed last.
// Both must outlive the Dut. A null `ring`: nowhere.
struct Tail {
  char* ring;
  std::size_t size;
  std::uint64_t* printed;
};

// One instance of a design with the ports clk_i, cycle_input_i, cycle_output_o and parameters_o.
//
// An instance may move between threads but is used by one at a time. Its initial blocks have run
// when the factory returns; ask stop() before anything else. After a stop, run() does nothing.
class Dut {
 public:
  virtual ~Dut() = default;

  // Clocks the design `cycles` times. `inputs` holds one cycle_input_i per cycle, `outputs` takes
  // one cycle_output_o per cycle, both without gaps. Returns the number of cycles completed; if it
  // is less than `cycles`, stop() says why, and only that many outputs were written.
  virtual std::size_t run(const std::uint8_t* inputs, std::uint8_t* outputs,
                          std::size_t cycles) noexcept = 0;

  // Clocks the design `cycles` times as a testbench in plain C++ does, with eval() at either edge,
  // and looks at no output: what everything around the design is measured against. Nothing is
  // traced, and a stop does not tell its time. Returns the number of cycles completed.
  virtual std::size_t run_bare(const std::uint8_t* inputs, std::size_t cycles) noexcept = 0;

  // What stopped the design, or null if it can go on.
  virtual const Stop* stop() const noexcept = 0;

  // Runs the design's final blocks, once, and closes the trace. run() does nothing afterwards. A
  // stop in a final block is reported by stop(). The destructor does the same.
  virtual void finish() noexcept = 0;

  // Copies the value of parameters_o.
  virtual void parameters(std::uint8_t* bytes) const noexcept = 0;

  // Number of the next cycle: cycles completed since creation, or since the number was set.
  virtual std::uint64_t cycles() const noexcept = 0;

  // Gives the next cycle a number, for a design that runs a stretch of a longer run. Times, stops
  // and the heartbeat follow it. Between two runs only.
  virtual void set_cycle(std::uint64_t cycle) noexcept = 0;

  // Has the number of completed cycles stored at `counter` after every cycle, with relaxed atomic
  // stores, so that another thread can see that the design is alive. Null turns it off. `counter`
  // must outlive this object.
  virtual void set_heartbeat(std::uint64_t* counter) noexcept = 0;

  // Starts a value change dump of the whole design at `path`. Between two runs only. Cycle k rises
  // at time 10*k and falls at 10*k+5; the dump begins with the state that the previous cycle left,
  // at the time of its falling edge. Returns 0, an errno value if the file cannot be written, or
  // -1 if this design was built without tracing. An open dump is closed first.
  virtual int trace_open(const char* path) noexcept = 0;

  // Completes the dump. Returns 0 also if none is open, or an errno value if writing failed.
  virtual int trace_close() noexcept = 0;

  // Text that the design printed ($display, $error, warnings of the run time) since the last
  // clear_log(). Only the newest part is kept; log_dropped() bytes before it are gone.
  virtual Text log() const noexcept = 0;
  virtual std::uint64_t log_dropped() const noexcept = 0;
  virtual void clear_log() noexcept = 0;
};

// What a static archive or a shared library offers: the one thing it exports is a function with C
// linkage that returns the address of a DutLibrary.
struct DutLibrary {
  std::uint32_t abi;              // kDutAbi; the meaning of the rest depends on it
  std::uint32_t input_bytes;      // size of cycle_input_i
  std::uint32_t output_bytes;     // size of cycle_output_o
  std::uint32_t parameter_bytes;  // size of parameters_o
  const char* top;                // name of the top module
  const char* verilator_version;  // e.g. "5.006"
  // Null if built with tracing only; returns null without memory.
  Dut* (*create)(Tail tail) noexcept;
  // Null if built without tracing.
  Dut* (*create_traced)(Tail tail) noexcept;
  // There with kDutAbiOfStarts and kDutAbiOfCoverage alone: the variant that was built, of whose
  // state what has no other value begins with a random one. The values, and those of $random,
  // follow from `start`, from 1.
  Dut* (*create_from)(Tail tail, std::uint32_t start) noexcept;
  // There with kDutAbiOfCoverage alone: writes what the coverage points of an instance of this
  // library have counted, in Verilator's format. Between two runs, and before finish(). Returns 0,
  // or an errno value if the file cannot be opened; one that a full disk cuts is for the reader.
  int (*write_coverage)(Dut& dut, const char* path) noexcept;
};

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_DUT_H_
