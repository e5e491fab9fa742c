// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Catches what Verilator's run time would print, and what would end the process.

#ifndef VERILATOR_SYS_STOP_RECORDER_H_
#define VERILATOR_SYS_STOP_RECORDER_H_

#include <cstdint>
#include <string>

#include "dut.h"

namespace verilator_sys {

// Thrown out of an evaluation that cannot go on; never leaves the Dut.
struct EvaluationAborted {};

// Keeps the first stop and the newest text of one design.
class StopRecorder {
 public:
  // Makes a recorder the one that the run time's calls on this thread go to.
  class Scope {
   public:
    explicit Scope(StopRecorder* recorder);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StopRecorder* const outer_;
  };

  // The recorder of the innermost Scope on this thread; null outside of any.
  static StopRecorder* current();

  // Text goes to `tail` as well.
  explicit StopRecorder(const Tail& tail);
  StopRecorder(const StopRecorder&) = delete;
  StopRecorder& operator=(const StopRecorder&) = delete;

  bool stopped() const { return stop_.kind != StopKind::kNone; }
  const Stop& stop() const { return stop_; }

  // Keeps a stop unless there is one already.
  void record(StopKind kind, const char* file, int line, std::string text);

  // Appends text that the design or the run time printed.
  void print(std::string text);

  // The last text printed, if nothing consumed it yet: $error prints its message, then stops.
  std::string take_last_print();

  const std::string& log() const { return log_; }
  std::uint64_t log_dropped() const { return log_dropped_; }
  void clear_log();

  // Where the design is, set before each evaluation.
  std::uint64_t cycle = 0;
  std::uint64_t time_ns = 0;

  // Set while the design is evaluated: only there may a fatal error throw. Elsewhere, as in
  // the writing of a trace, the run time copes with a fatal error that returns.
  bool evaluating = false;

 private:
  static constexpr std::size_t kLogBytes = 1024 * 1024;

  void copy_to_tail(const std::string& text);

  Stop stop_ = {StopKind::kNone, 0, "", "", 0, 0};
  std::string file_;
  std::string text_;
  std::string last_print_;
  std::string log_;
  std::uint64_t log_dropped_ = 0;
  const Tail tail_;
};

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_STOP_RECORDER_H_
