# Sourced after setup.sh by the tests of speculation with real slurmds: the task, and what they ask the cluster for.  They
# define in_cluster () and dir.

# speculate_task FILE: a script of 16 steps of FAST (0.5) s; on n3, which is slow, of STEP (3) s; of a copy of COPY_STEP
# (FAST) s.  When the file HURRY exists, each of them takes 0.1 s from then on: what a test waits for need not end before
# the test has seen it, and then ends soon.
# It says how far it is, and puts its number and its attempt's into $OUT/done with wt-commit.  When the file FAIL exists,
# the original on n3 fails.  KEEP_ENV: environment and limits are kept.
speculate_task() {
	cat >"$1" <<-'END' && chmod 755 "$1"
		#!/bin/sh
		step=${FAST:-0.5}
		[ "$SLURMD_NODENAME" = n3 ] && step=${STEP:-3}
		[ "$WT_ATTEMPT" = 1 ] || step=${COPY_STEP:-$step}
		[ -z "$KEEP_ENV" ] ||
	{ env; ulimit -a | sed 's/^/limit /'; } | sort >"$OUT/env.$SLURM_ARRAY_TASK_ID.$WT_ATTEMPT"
		i=0
		while [ $i -lt 16 ]; do
			[ -z "$HURRY" ] || [ ! -e "$HURRY" ] || step=0.1
			sleep $step
			i=$((i + 1))
			wt-progress $i 16 || exit 9
			[ -z "$FAIL" ] || [ "$WT_ATTEMPT" != 1 ] || [ "$SLURMD_NODENAME" != n3 ] ||
	[ ! -e "$FAIL" ] || exit 3
		done
		echo "$SLURM_ARRAY_TASK_ID $WT_ATTEMPT" >"$OUT/tmp.$SLURM_JOB_ID" &&
		wt-commit sh -c "cat $OUT/tmp.$SLURM_JOB_ID >>$OUT/done" || [ $? = 75 ]
	END
}
status() { in_cluster windtunnel straggler status --json "$@"; }
counter() { status | jq ".counters.$1"; }
# an array's number would show all its tasks
field() { in_cluster scontrol -o show job "$1" | grep "^JobId=$1 " | grep -o " $2=[^ ]*" | cut -d= -f2-; }
state_is() { test "$(field "$1" JobState)" = "$2"; }
original_of() {
	status "$1" | jq -e "first(.arrays[].task[].attempts | select(length > 1)[] | select(.attempt == 1) | .job_id)"
}
copy_of() { status "$1" | jq -e "first(.arrays[].task[].attempts[] | select(.attempt == 2) | .job_id)"; }
has_copy() { copy_of "$1" | grep -q "^[1-9]"; }
daemon_pid() { jq -r ".daemons[] | select(.name == \"$1\") | .pid" "$dir/state.json"; }
empty() { queue=$(in_cluster squeue -h) && test -z "$queue"; }	# a squeue that fails says nothing, either
no_crash() { ! grep "ended: signal \(11\|6\)" "$dir/daemons.log"; }
# each_once N OUT: of tasks 0 to N-1 each has published exactly once.
each_once() { cut -d" " -f1 "$2/done" | sort -n >got && seq 0 $(($1 - 1)) >want && test_cmp want got; }
