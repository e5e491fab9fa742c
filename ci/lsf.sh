#!/bin/sh
# A suite as an LSF array of 16 elements, and its report when all of them have ended. Not run by the project's tests.
#
#   ci/lsf.sh suite.toml /shared/results
set -eu
suite=$1
out=$2
name=lockstep-$$
bsub -J "${name}[1-16]" -r -n 4 -R 'span[hosts=1]' lockstep regress "$suite" --out "$out" --jobs 4
# ended: an element that found a failure must be reported as well.
bsub -J "$name-report" -w "ended(\"$name\")" lockstep merge "$out" -o "$out/report"
