// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Included by the compiler ahead of every file of Verilator's run time and of its output. Verilator
// lets these functions be replaced; stop_recorder.cpp holds the replacements.

#ifndef VERILATOR_SYS_RUN_TIME_HOOKS_H_
#define VERILATOR_SYS_RUN_TIME_HOOKS_H_

#include <cstdio>

int verilator_sys_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
void vl_stop_maybe(const char* filename, int linenum, const char* hier, bool maybe);

#define VL_PRINTF verilator_sys_printf
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_STOP_MAYBE
#define VL_USER_FATAL
#define VL_USER_WARN

// $fdisplay to the descriptor of standard output does not pass through VL_PRINTF. Standard output
// may carry a report, so such text goes to standard error.
#undef stdout
#define stdout stderr

#endif  // VERILATOR_SYS_RUN_TIME_HOOKS_H_
