#!/bin/sh
# A suite as a Slurm array of 16 tasks, and its report when all of them have ended. Not run by the project's tests.
# On pre-emption Slurm sends SIGTERM; the task that is requeued does what is left.
#
#   ci/slurm.sh suite.toml /shared/results
set -eu
suite=$1
out=$2
array=$(sbatch --parsable --array=1-16 --requeue --cpus-per-task=4 \
  --wrap "exec lockstep regress '$suite' --out '$out' --jobs 4")
# afterany: a task that found a failure must be reported as well.
sbatch --dependency="afterany:$array" --wrap "exec lockstep merge '$out' -o '$out/report'"
