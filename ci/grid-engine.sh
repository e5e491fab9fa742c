#!/bin/sh
# A suite as a Grid Engine array, and its report when all of its tasks have ended. `make farm` runs it.
# The parallel environment `smp` is the usual name of one on a single host.
#
#   [LOCKSTEP_BASE=NIGHT] [LOCKSTEP_SINCE=LAST_REPORT] ci/grid-engine.sh suite.toml /shared/results [TASKS]
#
# LOCKSTEP_BASE is that of the seeds, of a night for instance, the same wherever the command is repeated for it;
# LOCKSTEP_SINCE is an earlier report that this one is compared with.
#
# Every host sees lockstep, the suite and the results. Each task builds the RTL of the suite, unless it is built once
# (lockstep build --filelist dut.f -o built) and carried (dut = "built").
#
# Grid Engine ends tasks with SIGKILL. A task that is run again (-r y) does what is left, and so does the same command
# again where tasks were killed or have failed.
set -eu
suite=$1
out=$2
tasks=${3:-16}
# -shell n: a shell would be a login shell, which may set another PATH.
array=$(qsub -terse -cwd -V -N lockstep -b y -shell n -r y -t "1-$tasks" -pe smp 4 \
  lockstep regress "$suite" --out "$out" --jobs 4 ${LOCKSTEP_BASE:+--base "$LOCKSTEP_BASE"})
# A job that is held waits for the end of the array, also of tasks that found a failure. The exit code is the merge's.
qsub -cwd -V -N lockstep-report -b y -shell n -sync y -hold_jid "${array%%.*}" \
  lockstep merge "$out" -o "$out/report" ${LOCKSTEP_SINCE:+--since "$LOCKSTEP_SINCE"}
