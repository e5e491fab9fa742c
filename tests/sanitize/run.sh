#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Memory safety: everything that is C++ (the bridge, the stop recorder, Verilator's run time and output) under
# AddressSanitizer and UndefinedBehaviorSanitizer, and the release program under valgrind.
#
# sanitize/run.sh         everything
# sanitize/run.sh short   without a sanitized `lockstep`, whose build takes minutes, and without planted bugs
#
# The sanitized objects are of the C++ compiler alone, so that a stable compiler of Rust will do: Rust's allocations
# are checked nevertheless, since malloc is the sanitizer's. What Rust does with them is for valgrind. All is in
# target/sanitize, also the cache of designs; `target` of other builds is not touched, nor is their cache.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

form=${1:-full}
[[ $form == full || $form == short ]] || { echo "sanitize: expected full or short, found $form" >&2; exit 2; }
cargo=${CARGO:-cargo}
target=$PWD/target/sanitize
reports=$target/reports
work=$target/work
host=$(rustc -vV | sed -n 's/^host: //p')

fail() {
  echo "sanitize: $*" >&2
  exit 1
}

command -v valgrind > /dev/null || fail "valgrind not found; install it (Debian: valgrind)"
rm -rf "$reports" "$work"
mkdir -p "$reports" "$work"
export LOCKSTEP_CACHE=$target/cache

# expect CODE COMMAND...: exit code, and no report of a sanitizer, whoever swallowed it
expect() {
  local wanted=$1 code=0
  shift
  "$@" > "$work/output" 2>&1 || code=$?
  cat "$reports"/* >&2 2> /dev/null && fail "found the above in: $*"
  ((code == wanted)) || { cat "$work/output" >&2; fail "expected exit code $wanted, found $code: $*"; }
  echo "ok   $(basename "$1") ${*:2}"
}

# A design that is wrong, of few counters so that it is built soon.
cp -r rtl "$work/broken"
patch -s -p2 -d "$work/broken" < tests/planted/13-link-to-base-value.patch
cat > "$work/small.toml" << 'END'
name = "small"
system_pmu = []
pmu = { counters = 3, event_count = 4, event_width = 4, thwidth = 4 }
threads = { count = 1 }
END
broken=(--rtl "$work/broken" --implementation "$work/small.toml")
for parameter in Counters=3 ThWidth=4 EventWidth=4 EventCount=4 Threads=1 SystemPmus=0; do
  broken+=(--param "$parameter")
done

sanitized() (
  # Nothing is carried on after a finding. -g1: lines in reports.
  export CXXFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
  # rustc links without the compiler's own libraries unless it is told; the sanitizer's must come first.
  export RUSTFLAGS="-Cdefault-linker-libraries=yes -Clink-arg=-fsanitize=address,undefined"
  # With a target, RUSTFLAGS are not those of build scripts and macros.
  export CARGO_TARGET_DIR=$target CARGO_BUILD_TARGET=$host
  export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=line-tables-only
  # Reports go to files, since a test may expect a child to fail.
  local common="log_path=$reports/report:exitcode=99"
  common+=":detect_stack_use_after_return=1:strict_string_checks=1"
  export UBSAN_OPTIONS="log_path=$reports/report:exitcode=99:print_stacktrace=1"

  # A test measures memory that comes back, which freed memory under watch does not; and the places of leaks cannot be
  # told once a library is closed: leaks are looked for in the runs below.
  export ASAN_OPTIONS="$common:quarantine_size_mb=4:detect_leaks=0"
  local tests=(--test stops --test trace)
  [[ $form == short ]] || tests+=(--test heartbeat --test shared --test static_dut)
  expect 0 "$cargo" test --package verilator-sys "${tests[@]}"
  [[ $form == short ]] && return 0
  export ASAN_OPTIONS="$common:detect_leaks=1"
  expect 0 "$cargo" build --bin lockstep
  local lockstep=$target/$host/debug/lockstep
  # That flags were lost must not look like "nothing found".
  nm --dynamic "$lockstep" > "$work/symbols"
  for symbol in __asan_report_load8 __ubsan_handle_out_of_bounds_abort; do
    grep -q " $symbol\b" "$work/symbols" || fail "$lockstep is not sanitized: $symbol is not used"
  done
  expect 0 "$lockstep" run --cycles 2000 --threads 1
  expect 0 "$lockstep" run --cycles 20000 --threads 2
  expect 1 "$lockstep" run "${broken[@]}" --out "$work/out"
  expect 1 "$lockstep" shrink "$work/out/stimulus.stim" "${broken[@]}" --out "$work/shrunk"
)

echo "address and undefined behaviour sanitizers, form $form"
sanitized

# valgrind knows no pidfd, so that no design can have a process of its own under it: the program of the planted bugs runs
# designs in its own, finds a divergence, tests hypotheses and shrinks.
valgrind=(valgrind --quiet --error-exitcode=9)
hunt() {
  "$cargo" test --quiet --release --test planted --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1
}

echo "valgrind"
"$cargo" build --quiet --release --bin lockstep
lockstep=${CARGO_TARGET_DIR:-target}/release/lockstep
expect 0 "${valgrind[@]}" "$lockstep" run --cycles 2000 --threads 1
expect 0 "${valgrind[@]}" "$lockstep" run --cycles 20000 --threads 2
if [[ $form == full ]]; then
  program=$(hunt)
  [[ -x $program ]] || fail "expected the program of the planted bugs, found \"$program\""
  # Compilers are not what is to be checked: designs are built before.
  expect 0 "$program" link-to-base-value
  expect 0 "${valgrind[@]}" "$program" link-to-base-value
fi
echo "sanitize: clean"
