#!/bin/sh
# A suite as a Grid Engine array of 16 tasks, and its report when all of them have ended. Not run by the project's tests.
# The parallel environment `smp` is the usual name of one on a single host.
#
#   ci/grid-engine.sh suite.toml /shared/results
set -eu
suite=$1
out=$2
array=$(qsub -terse -cwd -V -b y -r y -t 1-16 -pe smp 4 \
  lockstep regress "$suite" --out "$out" --jobs 4)
# A job that is held waits for the end of the array, also of tasks that found a failure.
qsub -cwd -V -b y -hold_jid "${array%%.*}" lockstep merge "$out" -o "$out/report"
