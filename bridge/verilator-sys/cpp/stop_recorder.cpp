// SPDX-License-Identifier: MIT OR Apache-2.0

#include "stop_recorder.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "verilated.h"

namespace verilator_sys {
namespace {

thread_local StopRecorder* current_recorder = nullptr;

std::string format(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size <= 0) return {};
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::vsnprintf(&text[0], text.size(), format, arguments);
  text.pop_back();
  return text;
}

// True for a line "[<time>] %Error: ..." or "%Fatal: ...", which Verilator prints before it stops.
bool announces_stop(const std::string& text, std::size_t line) {
  const std::size_t bracket = text.find("] %", line);
  if (line >= text.size() || text[line] != '[' || bracket >= text.find('\n', line)) return false;
  return text.compare(bracket + 2, 7, "%Error:") == 0 ||
         text.compare(bracket + 2, 7, "%Fatal:") == 0;
}

// The end of a text from the last line that announces a stop; empty if none does. What a $display
// before a $fatal says is printed in one with it.
std::string announcement(const std::string& text) {
  for (std::size_t line = text.size(); line > 0;) {
    const std::size_t newline = line > 1 ? text.rfind('\n', line - 2) : std::string::npos;
    line = newline == std::string::npos ? 0 : newline + 1;
    if (announces_stop(text, line)) return text.substr(line);
  }
  return {};
}

void stop(StopKind kind, const char* file, int line, std::string text) {
  Verilated::threadContextp()->gotError(kind != StopKind::kFinish);
  Verilated::threadContextp()->gotFinish(true);
  if (StopRecorder* const recorder = StopRecorder::current()) {
    recorder->record(kind, file, line, std::move(text));
  }
}

}  // namespace

StopRecorder::Scope::Scope(StopRecorder* recorder) : outer_(current_recorder) {
  current_recorder = recorder;
}

StopRecorder::Scope::~Scope() { current_recorder = outer_; }

StopRecorder* StopRecorder::current() { return current_recorder; }

StopRecorder::StopRecorder(const Tail& tail) : tail_(tail) {
  if (tail_.ring) __atomic_store_n(tail_.printed, 0, __ATOMIC_RELEASE);
}

void StopRecorder::record(StopKind kind, const char* file, int line, std::string text) {
  if (stopped()) return;
  file_ = file ? file : "";
  text_ = std::move(text);
  const std::uint32_t known_line = line > 0 ? static_cast<std::uint32_t>(line) : 0;
  stop_ = {kind, known_line, file_.c_str(), text_.c_str(), cycle, time_ns};
}

void StopRecorder::print(std::string text) {
  if (tail_.ring) copy_to_tail(text);
  // Old text goes in large steps, so that a design that prints in every cycle costs no move of the
  // whole log each time.
  if (log_.size() + text.size() > 2 * kLogBytes && log_.size() > kLogBytes) {
    const std::size_t excess = log_.size() - kLogBytes;
    log_.erase(0, excess);
    log_dropped_ += excess;
  }
  log_ += text;
  last_print_ = std::move(text);
}

std::string StopRecorder::take_last_print() { return std::exchange(last_print_, {}); }

void StopRecorder::clear_log() {
  log_.clear();
  log_dropped_ = 0;
  if (tail_.ring) __atomic_store_n(tail_.printed, 0, __ATOMIC_RELEASE);
}

void StopRecorder::copy_to_tail(const std::string& text) {
  std::uint64_t printed = __atomic_load_n(tail_.printed, __ATOMIC_RELAXED);
  for (std::size_t done = 0; done < text.size();) {
    const std::size_t at = static_cast<std::size_t>(printed % tail_.size);
    const std::size_t part = std::min(text.size() - done, tail_.size - at);
    std::memcpy(tail_.ring + at, text.data() + done, part);
    done += part;
    printed += part;
  }
  __atomic_store_n(tail_.printed, printed, __ATOMIC_RELEASE);
}

}  // namespace verilator_sys

using verilator_sys::EvaluationAborted;
using verilator_sys::StopKind;
using verilator_sys::StopRecorder;

// Takes the place of printf in the run time. Text of nobody's design goes to standard error, since
// standard output may carry a report.
int verilator_sys_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = verilator_sys::format(format, arguments);
  va_end(arguments);
  const int size = static_cast<int>(text.size());
  if (StopRecorder* const recorder = StopRecorder::current()) {
    recorder->print(std::move(text));
  } else {
    std::fputs(text.c_str(), stderr);
  }
  return size;
}

// The functions below replace those of the run time that would print, and exit or abort; see
// VL_USER_* in run_time_hooks.h.

void vl_finish(const char* file, int line, const char*) {
  verilator_sys::stop(StopKind::kFinish, file, line, {});
}

void vl_stop(const char* file, int line, const char* hierarchy) {
  vl_stop_maybe(file, line, hierarchy, true);
}

// `maybe` is false for $fatal and true for everything that may be told to carry on.
void vl_stop_maybe(const char* file, int line, const char*, bool maybe) {
  Verilated::threadContextp()->errorCountInc();
  std::string text;
  if (StopRecorder* const recorder = StopRecorder::current()) {
    text = verilator_sys::announcement(recorder->take_last_print());
  }
  verilator_sys::stop(maybe ? StopKind::kStop : StopKind::kFatal, file, line, std::move(text));
}

// The code that calls this does not expect it to return and may loop for ever.
void vl_fatal(const char* file, int line, const char*, const char* message) {
  const StopRecorder* const recorder = StopRecorder::current();
  verilator_sys::stop(StopKind::kRuntime, file, line, message ? message : "");
  if (recorder && recorder->evaluating) throw EvaluationAborted{};
}

void vl_warn(const char* file, int line, const char*, const char* message) {
  verilator_sys_printf("%%Warning: %s:%d: %s\n", file ? file : "", line, message ? message : "");
}
