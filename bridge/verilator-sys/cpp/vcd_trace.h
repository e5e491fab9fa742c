// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The tracer of a design built with tracing: writes value change dumps.

#ifndef VERILATOR_SYS_VCD_TRACE_H_
#define VERILATOR_SYS_VCD_TRACE_H_

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "verilated_vcd_c.h"

namespace verilator_sys {

class VcdTrace {
 public:
  static constexpr bool kTraces = true;

  // A new object for every dump: one that was closed remembers its last time stamp, and would
  // refuse a window that begins where the previous one ended.
  template <class Model>
  int open(Model* model, const char* path) {
    auto dump = std::make_unique<VerilatedVcdC>(&file_);
    model->trace(dump.get(), kAllLevels);
    file_.error = 0;
    dump->open(path);
    if (!dump->isOpen()) return file_.error ? file_.error : EIO;
    dump_ = std::move(dump);
    return 0;
  }

  bool is_open() const { return dump_ != nullptr; }
  void dump(std::uint64_t time_ns) { dump_->dump(time_ns); }
  void flush() {
    if (dump_) dump_->flush();
  }
  int close() {
    if (!dump_) return 0;
    dump_->close();
    dump_.reset();
    return file_.error;
  }

 private:
  // Remembers errors, and hides those of writing from the run time, which would report a full disk
  // as a fatal error of the design. trace_close() tells.
  class File final : public VerilatedVcdFile {
   public:
    bool open(const std::string& name) override {
      errno = 0;
      const bool opened = VerilatedVcdFile::open(name);
      if (!opened) error = errno;
      return opened;
    }
    ssize_t write(const char* bytes, ssize_t size) override {
      if (error != 0) return size;
      const ssize_t written = VerilatedVcdFile::write(bytes, size);
      if (written >= 0 || errno == EAGAIN || errno == EINTR) return written;
      error = errno;
      return size;
    }
    int error = 0;
  };

  static constexpr int kAllLevels = 99;

  File file_;
  std::unique_ptr<VerilatedVcdC> dump_;
};

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_VCD_TRACE_H_
