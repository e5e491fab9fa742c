// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The coverage of a design that was Verilated with it: writes what its points have counted.

#ifndef VERILATOR_SYS_COVERAGE_H_
#define VERILATOR_SYS_COVERAGE_H_

#include <cerrno>
#include <exception>
#include <fstream>

#include "verilated.h"
#include "verilated_cov.h"

namespace verilator_sys {

struct Coverage {
  // Returns 0 or an errno value.
  static int write(VerilatedContext& context, const char* path) noexcept {
    try {
      // The run time would report a file that cannot be opened as a fatal error of the design.
      errno = 0;
      if (!std::ofstream(path)) return errno ? errno : EIO;
      context.coveragep()->write(path);
      return 0;
    } catch (const std::exception&) {
      return ENOMEM;
    }
  }
};

}  // namespace verilator_sys

#endif  // VERILATOR_SYS_COVERAGE_H_
