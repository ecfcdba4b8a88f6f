#!/bin/sh
test_description='speculative copies in the real slurmctld, with real slurmds and tasks'
. "$WT_SRCDIR/t/setup.sh"

# 5 nodes of 2 CPUs; 7 tasks run on n0 to n3, and those on n3 are 6 times slower; n4 is free for copies.  Windows of 1 s,
# so that tasks of 8 s are long; no copies before 5 s, because a busy machine makes the first steps uneven.
. "$WT_SRCDIR/t/speculate.sh"
PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
dir="$WINDTUNNEL_STATE/s" log="$WINDTUNNEL_STATE/s/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec s -- "$@"; }
submit() { in_cluster sbatch --parsable -n1 "$@"; }
run_script() {
	OUT=$(mktemp -d "$WT_TMP/out.XXXXXX") && export OUT && job=$(submit -o "$OUT/%A_%a" "$@") &&
		unset FAST STEP COPY_STEP HURRY FAIL KEEP_ENV
}
run_array() { run_script "$@" task.sh; }
published() { each_once "$1" "$OUT"; }
chmod 755 "$WT_TMP"
speculate_task task.sh

# (jq 1.6 succeeds with -e when there is nothing to read, as of an array of which the plugin has not heard yet.)
copy_runs() {	# and the plugin has heard of it
	status $1 | jq "[.arrays[].task[].attempts[] | select(.attempt == 2 and .state == \"running\" and .progress > 0)] |
		length" | grep -qx 1
}
slow_copied() {
	status $job | jq "[.arrays[].task[] | select(.copies == 1).attempts[] | select(.attempt == 1).node] |
		index(\"n3\")" | grep "^[0-9]"
}
# Says nothing: 12 steps that use 0.05 s of CPU time each.
cat >busy.sh <<-'END'
	#!/bin/sh
	rest=0.4
	[ "$SLURMD_NODENAME" = n3 ] && rest=3
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		perl -e 'while ((times)[0] + (times)[1] < 0.05) { }'
		sleep $rest
	done
	wt-commit sh -c "echo $SLURM_ARRAY_TASK_ID $WT_ATTEMPT >>$OUT/done" || [ $? = 75 ]
END

test_expect_success 'the SPANK plugin has no job_prolog or job_epilog, which would cost every node of every job a message' '
	so="$WT_BUILDDIR/plugins/straggler/slurm/spank_speculate.so" && nm -D --defined-only "$so" >symbols &&
	grep -q slurm_spank_init symbols && ! grep -E "job_(prolog|epilog)" symbols
'
test_expect_success 'what slurmctld and slurmstepd load needs neither jansson nor the GSL' '
	for so in "$WT_BUILDDIR"/plugins/straggler/slurm/*_straggler.so \
			"$WT_BUILDDIR"/plugins/straggler/slurm/spank_speculate.so; do
		ldd "$so" >libraries &&
		! grep -e jansson -e gsl libraries || return 1
	done
'
test_expect_success 'the script of doc/speculation.md publishes what is whole, and fails with what it runs' '
	sed -n "/^## What users write/,/^### /{/^#!/,/^\`\`\`/p}" "$WT_SRCDIR/doc/speculation.md" |
		grep -v "^\`" >users.sh && test_line_count = 6 users.sh &&
	mkdir -p fake &&
	printf "#!/bin/sh\necho half; echo 50 >&3; [ -z \"\$BREAK\" ] || exit 7; echo whole; echo 100 >&3\n" >fake/compute &&
	chmod 755 fake/compute &&
	users() { env PATH="$PWD/fake:$PATH" SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 BREAK=$2 bash users.sh; } &&
	users 1 && test "$(cat out.1)" = "$(printf "half\nwhole")" && test_expect_code 7 users 2 yes && test ! -e out.2
'
command -v cc >/dev/null && test_set_prereq CC
test_expect_success CC 'a program with libwtprogress runs where nothing speculates; the library exports no other names' '
	cat >program.c <<-\END &&
		#include <errno.h>
		#include <wt_progress.h>
		int main(void)
		{
			if (wt_progress(0.5) || wt_progress_of(1, 2) || wt_commit_begin(1) ||
			    wt_commit_done(1) || wt_commit_release(1))
				return 1;
			return wt_progress(2) == -1 && errno == EINVAL && wt_progress_of(1, 0) == -1 ? 0 : 2;
		}
	END
	libs="$WT_BUILDDIR/plugins/straggler/.libs" &&
	cc -Wall -Werror -I"$WT_SRCDIR/plugins/straggler/task" program.c -L"$libs" -lwtprogress -o program &&
	LD_LIBRARY_PATH="$libs" ./program && nm -D --defined-only "$libs/libwtprogress.so" >names &&
	test_line_count = 5 names && ! grep -v " T wt_" names
'
test_expect_success 'wt-progress names the file that it cannot use' '
	test_expect_code 1 env WT_PROGRESS_FILE="$PWD/none" wt-progress 0.5 2>err &&
	grep "^wt-progress: $PWD/none: No such file" err &&
	echo foreign >other && test_expect_code 1 env WT_PROGRESS_FILE="$PWD/other" wt-progress 1 2 2>err &&
	grep "^wt-progress: $PWD/other: not the file" err
'
test_expect_success 'a cluster with the plugin' '
	windtunnel cluster up s --backend slurmd --nodes 5 --shape "core:2 pu:1" --plugin straggler \
		--quiet --set SchedulerParameters=batch_sched_delay=0 &&
	wt_poll 30 grep "straggler: version" "$log" &&
	printf "Window=1\nSilence=30\nMinAge=5\n" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log" && in_cluster sbatch --help | grep -e "--speculate"
'
test_expect_success 'a policy that makes no sense is refused at once; settings that make none stay out' '
	test_must_fail submit --speculate=copies=99 --wrap true 2>err && grep "copies=99" err &&
	cp "$dir/straggler.conf" good.conf && echo "Window=soon" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "Window=soon.*stay as they were" "$log" && cp good.conf "$dir/straggler.conf"
'
# ask_as JOB ARRAY_TASK SECONDS COMMAND...: wt-commit in the name of a start of that job.
ask_as() {
	as_job=$1 as_task=$2 as_timeout=$3 && shift 3 &&
	in_cluster env WT_PROGRESS_FILE=x WT_STRAGGLER_CONF="$dir/straggler.conf" SLURM_JOB_ID=$as_job \
		WT_INSTANCE=$as_task.0.00000000000000aa wt-commit --timeout $as_timeout "$@"
}
test_expect_success 'whoever asks in the name of an array that waits takes nothing from its tasks' '
	FAST=0.1 && export FAST && run_script --hold --speculate --array=0-1 task.sh &&
	test_expect_code 1 ask_as $job ${job}_0 3 true &&
	in_cluster scontrol release $job && wt_poll 60 empty && published 2
'
test_expect_success 'the copy of a slow task wins: the original is completed, not cancelled, and afterok is released' '
	KEEP_ENV=1 COPY_STEP=0.1 && export KEEP_ENV COPY_STEP && run_array --speculate --array=0-6 --comment=mine &&
	after=$(submit -d afterok:$job -o /dev/null --wrap true) &&
	wt_poll 90 has_copy $job && copy=$(copy_of $job) && wt_poll 120 state_is $after COMPLETED &&
	original=$(original_of $job) &&
	test "$(field $original JobState)" = COMPLETED && wt_poll 60 eval "[ \$(field $original ExitCode) = 0:0 ]" &&
	in_cluster scontrol -o show job $original | grep "Comment=mine; windtunnel: completed by job $copy" &&
	test "$(field $original BatchHost)" = n3 && test "$(field $copy BatchHost)" != n3 &&
	test "$(field $copy ExcNodeList)" = n3 &&
	in_cluster scontrol -o show job $copy | grep "StdOut=.*_[0-6].attempt2" && published 7 &&
	test "$(counter copies_won)" = 1 && no_crash && won=$job
'
test_expect_success 'the copy has the environment of its task, and its limits' '
	task=$(field $original ArrayTaskId) && for attempt in 1 2; do
		sed "s/^\(SLURM_JOB_ID\|SLURM_JOBID\|SLURM_JOB_NODELIST\|SLURM_NODELIST\|SLURMD_NODENAME\)=.*/\1/
			s/^\(SLURM_JOB_START_TIME\|SLURM_JOB_END_TIME\)=.*/\1/
			s/^\(SLURM_TASK_PID\|SLURM_TOPOLOGY_ADDR\|WT_ATTEMPT\|WT_INSTANCE\|WT_PROGRESS_FILE\)=.*/\1/
			/^\(HOSTNAME\|TMPDIR\|_\)=/d" "$OUT/env.$task.$attempt" >env.$attempt || return 1
	done && grep "^SLURM_ARRAY_TASK_COUNT=7" env.1 && grep "^limit " env.2 && test_cmp env.1 env.2
'
test_expect_success 'tasks that report nothing are followed by their CPU time, and get copies' '
	run_script --speculate=cpu=0.7 --array=0-3 -N1 --exclusive busy.sh && wt_poll 90 slow_copied && wt_poll 120 empty &&
	published 4
'
test_expect_success 'windtunnel straggler status, nodes and record tell of it' '
	in_cluster windtunnel straggler status $won >text && grep "won, published" text &&
	in_cluster windtunnel straggler nodes >text &&
	grep "n3 .*[1-9]" text && in_cluster windtunnel straggler record --time 1 --job $won beats.log &&
	windtunnel straggler replay beats.log >text && test_must_fail in_cluster windtunnel straggler status 4000000 2>err &&
	grep 4000000 err
'
watched() { [ "$(grep -c "heartbeats taken in" watch.out)" -ge "$1" ]; }
test_expect_success 'status --watch shows it again and again, until it is ended' '
	{ in_cluster sh -c "echo \$\$ >watch.pid; exec windtunnel straggler status --watch 1" \
		>watch.out 2>watch.err & watcher=$!; } && wt_poll 30 watched 3 &&
	kill -TERM $(cat watch.pid) && { wait $watcher || :; } && test "$(grep -c "^ *ARRAY *TASKS" watch.out)" -ge 3 &&
	! grep windtunnel watch.err &&
	test_expect_code 2 windtunnel straggler status --watch 0 2>err && grep -e "--watch" err
'
test_expect_success 'an array without a straggler has no copy; a job without --speculate none either' '
	before=$(counter copies) && STEP=0.5 && export STEP && run_array --speculate --array=0-6 &&
	other=$(submit -o /dev/null --array=0-1 --wrap true) &&
	wt_poll 90 empty && test "$(counter copies)" = "$before" && test_must_fail status $other
'
test_expect_success 'a failing original does not fail the task while its copy runs' '
	FAIL=$WT_TMP/fail HURRY=$WT_TMP/hurry.fail COPY_STEP=3 && export FAIL HURRY COPY_STEP &&
	run_array --speculate --array=0-6 &&
	after=$(submit -d afterok:$job -o /dev/null --wrap true) && wt_poll 90 copy_runs $job &&
	touch "$WT_TMP/fail" && wt_poll 90 eval "status $job | grep -q waiting" && touch "$WT_TMP/hurry.fail" &&
	wt_poll 120 state_is $after COMPLETED && published 7 && test "$(counter held)" -ge 1
'
test_expect_success 'scancel ends a task and its copy' '
	STEP=6 COPY_STEP=20 && export STEP COPY_STEP && run_array --speculate --array=0-6 && wt_poll 90 has_copy $job &&
	copy=$(copy_of $job) && in_cluster scancel $job &&
	wt_poll 60 empty && state_is $copy CANCELLED
'
# No task ends before slurmctld is back: an end that it has not saved it would forget.
test_expect_success 'slurmctld killed between a copy and its commit: exactly one commit, and no orphan' '
	FAST=1 HURRY=$WT_TMP/hurry.killed COPY_STEP=3 && export FAST HURRY COPY_STEP && run_array --speculate --array=0-6 &&
	after=$(submit -d afterok:$job -o /dev/null --wrap true) && wt_poll 90 has_copy $job &&
	{ in_cluster sh -c "echo \$\$ >record.pid; exec windtunnel straggler record --job $job restart.log" \
		2>record.err & recorder=$!; } &&
	wt_poll 30 grep -s "\"heartbeat\"" restart.log &&
	missed() { grep -s "will ask again" record.err || { pid=$(daemon_pid slurmctld) && test "${pid:-0}" -gt 1 &&
		kill -9 $pid; false; }; } &&
	wt_poll 60 missed && wt_poll 90 in_cluster scontrol ping &&	# killed again when it was back before anybody asked
	wt_poll 60 grep "slurmctld answers again" record.err && touch "$WT_TMP/hurry.killed" &&
	wt_poll 180 empty && published 7
'
test_expect_success 'record goes on after the restart, says so, and its log can be replayed' '
	wt_poll 30 grep "slurmctld answers again" record.err && kill -TERM $(cat record.pid) && wait $recorder &&
	test "$(grep -c "will ask again" record.err)" = "$(grep -c "answers again" record.err)" &&
	windtunnel straggler replay --detector fresh restart.log
'
# Neither attempt is through with its 16 steps before that start was told that it may publish.
test_expect_success 'a start of the copy that a killed slurmctld has forgotten, and its second start, publish once' '
	HURRY=$WT_TMP/hurry.forgotten STEP=10 COPY_STEP=10 && export HURRY STEP COPY_STEP &&
	run_array --speculate --array=0-6 && wt_poll 90 has_copy $job && copy=$(copy_of $job) &&
	wt_poll 60 state_is $copy RUNNING &&
	task=$(status $job | jq ".arrays[].task[] | select(.copies == 1).task") &&
	forgotten() { ask_as $copy $1 $2 sh -c "echo $task 2 >>$OUT/done"; } &&
	# that number was another task'"'"'s copy
	test_expect_code 1 forgotten 99999_$task 1 && test_expect_code 1 forgotten ${job}_99 1 &&
	forgotten ${job}_$task 60 && touch "$WT_TMP/hurry.forgotten" && wt_poll 120 empty && published 7
'
# agent_killed NODE: its agent had the file "agent" open, and was killed.
agent_killed() {
	agent=$(find /proc/[0-9]*/fd -lname "$dir/progress/$1/agent" 2>/dev/null | cut -d/ -f3 | sort -u | grep .) &&
		kill -9 $agent
}
test_expect_success 'agents that are killed: another one takes over, nothing is lost' '
	COPY_STEP=0.1 && export COPY_STEP && run_array --speculate --array=0-6 &&
	wt_poll 60 eval "[ \$(status $job | jq .arrays[].running) -ge 7 ]" &&
	wt_poll 30 agent_killed n0 && wt_poll 30 agent_killed n1 && wt_poll 120 has_copy $job &&
	wt_poll 120 empty && published 7
'
test_expect_success 'munged down for a while: said once, jobs go on' '
	run_array --speculate --array=0-3 &&
	wt_poll 60 eval "[ \$(status $job | jq .arrays[].running) -ge 4 ]" &&
	pid=$(wt_daemon_pid "$dir" munged) && kill -STOP $pid && sleep 3 && kill -CONT $pid &&
	wt_poll 120 empty && published 4
'
test_expect_success 'slurmctld has neither crashed nor logged an error of ours that is not expected' '
	no_crash && grep "error: straggler" "$log" | grep -v -e "Window=soon" -e munged >out || : && wt_empty out
'
test_expect_success 'nothing is left' '
	cp "$dir/cluster.json" cluster.json && windtunnel cluster down s && wt_nothing_left cluster.json
'
test_done
