// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The one implementation of Dut, generic over the class that Verilator generates.

#ifndef VERILATOR_SYS_VERILATED_DUT_H_
#define VERILATOR_SYS_VERILATED_DUT_H_

#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "dut.h"
#include "stop_recorder.h"
#include "verilated.h"

namespace verilator_sys {

// The tracer of a design built without tracing.
struct NoTrace {
  static constexpr bool kTraces = false;
  template <class Model>
  int open(Model*, const char*) {
    return -1;
  }
  bool is_open() const { return false; }
  void dump(std::uint64_t) {}
  void flush() {}
  int close() { return 0; }
};

// How a design is evaluated if nothing smaller is known to do: by Verilator's eval().
struct WholeEvaluation {
  template <class Model>
  static void evaluate(Model& model) {
    model.eval();
  }
};

// `Core` evaluates the design without what eval() does around it, which is then done once a run().
template <class Model, class Tracer, class Core>
class VerilatedDut final : public Dut {
 public:
  static constexpr std::size_t kInputBytes = sizeof(Model::cycle_input_i);
  static constexpr std::size_t kOutputBytes = sizeof(Model::cycle_output_o);
  static constexpr std::size_t kParameterBytes = sizeof(Model::parameters_o);
  static_assert(sizeof(Model::clk_i) == 1, "clk_i is one bit");

  explicit VerilatedDut(const Tail& tail, std::uint32_t start = 0) : recorder_(tail) {
    const Entry entry(this);
    context_.fatalOnError(false);
    context_.traceEverOn(Tracer::kTraces);
    // What has no value is zero, else random.
    if (start != 0) context_.randReset(2);
    // A fixed seed: with the default of 0, $random would differ from run to run. Neighbouring
    // starts have seeds that are far apart, for what begins with a few bits of them.
    context_.randSeed(start == 0 ? 1 : static_cast<int>(start * 0x9E3779B1U & 0x7FFFFFFFU));
    model_ = std::make_unique<Model>(&context_, "TOP");
    std::memset(&model_->cycle_input_i, 0, kInputBytes);
    model_->clk_i = 0;
    evaluate<WholeEvaluation>(0);
  }

  ~VerilatedDut() override {
    finish();
    const Entry entry(this);
    model_.reset();
  }

  std::size_t run(const std::uint8_t* inputs, std::uint8_t* outputs,
                  std::size_t cycles) noexcept override {
    if (recorder_.stopped() || finished_) return 0;
    const Entry entry(this);
    Model& model = *model_;
    for (std::size_t done = 0; done < cycles; ++done) {
      const std::uint64_t start_ns = kCycleNs * recorder_.cycle;
      std::memcpy(&model.cycle_input_i, inputs + done * kInputBytes, kInputBytes);
      model.clk_i = 1;
      const bool good = done == 0 ? evaluate<WholeEvaluation>(start_ns) : evaluate<Core>(start_ns);
      if (!good) return done;
      model.clk_i = 0;
      if (!evaluate<Core>(start_ns + kCycleNs / 2)) return done;
      std::memcpy(outputs + done * kOutputBytes, &model.cycle_output_o, kOutputBytes);
      ++recorder_.cycle;
      if (heartbeat_) __atomic_store_n(heartbeat_, recorder_.cycle, __ATOMIC_RELAXED);
    }
    return cycles;
  }

  std::size_t run_bare(const std::uint8_t* inputs, std::size_t cycles) noexcept override {
    if (recorder_.stopped() || finished_) return 0;
    const Entry entry(this);
    std::size_t done = 0;
    guarded([&] {
      Model& model = *model_;
      for (; done < cycles; ++done) {
        std::memcpy(&model.cycle_input_i, inputs + done * kInputBytes, kInputBytes);
        model.clk_i = 1;
        context_.timeInc(kCycleNs / 2);
        model.eval();
        model.clk_i = 0;
        context_.timeInc(kCycleNs / 2);
        model.eval();
        if (recorder_.stopped()) return;
        ++recorder_.cycle;
      }
    });
    return done;
  }

  const Stop* stop() const noexcept override {
    return recorder_.stopped() ? &recorder_.stop() : nullptr;
  }

  void finish() noexcept override {
    if (finished_) return;
    finished_ = true;
    const Entry entry(this);
    // After an aborted evaluation the design's state is not one that final blocks may see.
    if (recorder_.stop().kind != StopKind::kRuntime) {
      guarded([this] { model_->final(); });
    }
    tracer_.close();
  }

  void parameters(std::uint8_t* bytes) const noexcept override {
    std::memcpy(bytes, &model_->parameters_o, kParameterBytes);
  }

  std::uint64_t cycles() const noexcept override { return recorder_.cycle; }

  void set_cycle(std::uint64_t cycle) noexcept override {
    recorder_.cycle = cycle;
    recorder_.time_ns = cycle == 0 ? 0 : kCycleNs * cycle - kCycleNs / 2;
  }

  void set_heartbeat(std::uint64_t* counter) noexcept override { heartbeat_ = counter; }

  int trace_open(const char* path) noexcept override {
    const Entry entry(this);
    tracer_.close();
    const int error = tracer_.open(model_.get(), path);
    if (error == 0 && recorder_.cycle > 0) tracer_.dump(recorder_.time_ns);
    return error;
  }

  int trace_close() noexcept override {
    const Entry entry(this);
    return tracer_.close();
  }

  Text log() const noexcept override { return {recorder_.log().data(), recorder_.log().size()}; }
  std::uint64_t log_dropped() const noexcept override { return recorder_.log_dropped(); }
  void clear_log() noexcept override { recorder_.clear_log(); }

  // See DutLibrary. A template, so that a design without coverage does not need Verilator's part.
  template <class Coverage>
  int write_coverage(const char* path) noexcept {
    const Entry entry(this);
    return Coverage::write(context_, path);
  }

 private:
  // Every entry into Verilated code: the run time finds the design by thread-local pointers.
  class Entry {
   public:
    explicit Entry(VerilatedDut* dut) : scope_(&dut->recorder_) {
      Verilated::threadContextp(&dut->context_);
    }

   private:
    const StopRecorder::Scope scope_;
  };

  template <class Action>
  void guarded(Action&& action) noexcept {
    recorder_.evaluating = true;
    try {
      action();
    } catch (const EvaluationAborted&) {
      // Recorded where it was thrown.
    } catch (const std::exception& error) {
      recorder_.record(StopKind::kRuntime, "", 0, error.what());
    } catch (...) {
      recorder_.record(StopKind::kRuntime, "", 0, "unknown C++ exception");
    }
    recorder_.evaluating = false;
  }

  // Settles the design at a time and dumps it. Returns false if it stopped.
  template <class Evaluation>
  bool evaluate(std::uint64_t time_ns) noexcept {
    context_.time(time_ns);
    recorder_.time_ns = time_ns;
    guarded([this] { Evaluation::evaluate(*model_); });
    if (tracer_.is_open()) tracer_.dump(time_ns);
    if (VL_LIKELY(!recorder_.stopped())) return true;
    tracer_.flush();
    return false;
  }

  VerilatedContext context_;
  StopRecorder recorder_;
  std::unique_ptr<Model> model_;
  Tracer tracer_;
  std::uint64_t* heartbeat_ = nullptr;
  bool finished_ = false;
};

// The factory of one variant of a design.
template <class Model, class Tracer, class Core>
Dut* create(const Tail& tail, std::uint32_t start = 0) noexcept {
  try {
    return new VerilatedDut<Model, Tracer, Core>(tail, start);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_VERILATED_DUT_H_
