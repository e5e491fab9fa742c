#!/bin/sh
# A suite as an LSF array of 16 elements, and its report when all of them have ended. Not run by the project's tests.
#
#   [LOCKSTEP_BASE=NIGHT] [LOCKSTEP_SINCE=LAST_REPORT] ci/lsf.sh suite.toml /shared/results
#
# LOCKSTEP_BASE is that of the seeds, of a night for instance, the same wherever the command is repeated for it;
# LOCKSTEP_SINCE is an earlier report that this one is compared with.
set -eu
suite=$1
out=$2
name=lockstep-$$
bsub -J "${name}[1-16]" -r -n 4 -R 'span[hosts=1]' \
  lockstep regress "$suite" --out "$out" --jobs 4 ${LOCKSTEP_BASE:+--base "$LOCKSTEP_BASE"}
# ended: an element that found a failure must be reported as well.
bsub -J "$name-report" -w "ended(\"$name\")" \
  lockstep merge "$out" -o "$out/report" ${LOCKSTEP_SINCE:+--since "$LOCKSTEP_SINCE"}
