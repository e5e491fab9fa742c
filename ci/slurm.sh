#!/bin/sh
# A suite as a Slurm array, and its report when all of its tasks have ended. `make farm` runs it.
#
#   [LOCKSTEP_BASE=NIGHT] [LOCKSTEP_SINCE=LAST_REPORT] ci/slurm.sh suite.toml /shared/results [TASKS]
#
# LOCKSTEP_BASE is that of the seeds, of a night for instance, the same wherever the command is repeated for it;
# LOCKSTEP_SINCE is an earlier report that this one is compared with.
#
# Every node sees lockstep, the suite and the results. Each task builds the RTL of the suite, unless it is built once
# (lockstep build --filelist dut.f -o built) and carried (dut = "built").
#
# Before it ends a task for pre-emption, requeue or its time limit, Slurm sends SIGTERM, which `exec` brings to lockstep.
# A task that is requeued does what is left, and so does the same command again where tasks were killed or have failed.
set -eu
suite=$1
out=$2
tasks=${3:-16}
# append: the log of a task that is requeued has its first start too.
array=$(sbatch --parsable --array="1-$tasks" --requeue --open-mode=append --cpus-per-task=4 \
  --wrap "exec lockstep regress '$suite' --out '$out' --jobs 4${LOCKSTEP_BASE:+ --base '$LOCKSTEP_BASE'}")
# afterany: a task that found a failure must be reported as well. The exit code is that of the merge.
sbatch --wait --dependency="afterany:${array%%;*}" \
  --wrap "exec lockstep merge '$out' -o '$out/report'${LOCKSTEP_SINCE:+ --since '$LOCKSTEP_SINCE'}"
