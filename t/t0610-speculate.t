#!/bin/sh
test_description='speculative copies in the real slurmctld, with real slurmds and tasks'
. "$WT_SRCDIR/t/setup.sh"

# 5 nodes of 2 CPUs; 7 tasks run on n0 to n3, and those on n3 are 6 times slower; n4 is free for copies.  Windows of 1 s, so that tasks of 12 s are long.
PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
dir="$WINDTUNNEL_STATE/s" log="$WINDTUNNEL_STATE/s/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec s -- "$@"; }
status() { in_cluster windtunnel straggler status --json "$@"; }
counter() { status | jq ".counters.$1"; }
field() { in_cluster scontrol -o show job "$1" | grep -o "$2=[^ ]*" | cut -d= -f2; }
state_is() { [ "$(field "$1" JobState)" = "$2" ]; }
submit() { in_cluster sbatch --parsable -n1 "$@"; }
copy_of() { status "$1" | jq -e "first(.arrays[].task[].attempts[] | select(.attempt == 2) | .job_id)"; }
has_copy() { copy_of "$1" | grep -q "^[1-9]"; }
daemon_pid() { jq -r '.daemons[] | select(.name == "slurmctld") | .pid' "$dir/state.json"; }
empty() { [ -z "$(in_cluster squeue -h)" ]; }
clear_jobs() { in_cluster scancel -u "$(id -un)"; wt_poll 60 empty; }
no_crash() { ! grep "ended: signal \(11\|6\)" "$dir/daemons.log"; }

cat >task.sh <<-'END'
	#!/bin/sh
	step=0.5
	[ "$SLURMD_NODENAME" = n3 ] && step=${STEP:-3}
	i=0
	while [ $i -lt 16 ]; do
		sleep $step
		i=$((i + 1))
		wt-progress $i 16 || exit 9
		[ -z "$FAIL" ] || [ "$WT_ATTEMPT" != 1 ] || [ "$SLURMD_NODENAME" != n3 ] || [ $i -lt "$FAIL" ] || exit 3
	done
	echo "$SLURM_ARRAY_TASK_ID $WT_ATTEMPT" >"$OUT/tmp.$SLURM_JOB_ID" &&
	wt-commit sh -c "cat $OUT/tmp.$SLURM_JOB_ID >>$OUT/done" || [ $? = 75 ]
END
chmod +x task.sh
chmod 755 "$WT_TMP"
run_array() { OUT=$(mktemp -d "$WT_TMP/out.XXXXXX") && export OUT && job=$(submit -o "$OUT/%A_%a" "$@" task.sh); }
published() { sort -n "$OUT/done" | cut -d' ' -f1 | uniq -c | awk '{ print $1, $2 }'; }
each_once() { published >got && seq 0 $(($1 - 1)) | sed 's/^/1 /' >want && test_cmp want got; }

test_expect_success 'the SPANK plugin has no job_prolog or job_epilog, which would cost every node of every job a message' '
	so="$WT_BUILDDIR/plugins/straggler/slurm/spank_speculate.so" && nm -D --defined-only "$so" >symbols &&
	grep -q slurm_spank_init symbols && ! grep -E "job_(prolog|epilog)" symbols
'
test_expect_success 'what slurmctld and slurmstepd load needs neither jansson nor the GSL' '
	for so in slurmctld_straggler spank_speculate; do
		ldd "$WT_BUILDDIR/plugins/straggler/slurm/$so.so" >libraries && ! grep -e jansson -e gsl libraries || return 1
	done
'
test_expect_success 'a cluster with the plugin' '
	windtunnel cluster up s --backend slurmd --nodes 5 --shape "core:2 pu:1" --plugin straggler --quiet &&
	printf "Window=1\nSilence=30\nMinAge=2\n" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log" && in_cluster sbatch --help | grep -e "--speculate"
'
test_expect_success 'a policy that makes no sense is refused at once; settings that make none stay out' '
	test_must_fail submit --speculate=copies=99 --wrap true 2>err && grep "copies=99" err &&
	cp "$dir/straggler.conf" good.conf && echo "Window=soon" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "Window=soon.*stay as they were" "$log" && cp good.conf "$dir/straggler.conf"
'
test_expect_success 'the copy of a slow task wins: the original is completed, not cancelled, and afterok is released' '
	run_array --speculate --array=0-6 --comment=mine && after=$(submit -d afterok:$job -o /dev/null --wrap true) &&
	wt_poll 90 has_copy $job && copy=$(copy_of $job) && wt_poll 120 state_is $after COMPLETED &&
	original=${job}_$(status $job | jq ".arrays[].task[] | select(.copies == 1).task") &&
	test "$(field $original JobState)" = COMPLETED && wt_poll 60 eval "[ \$(field $original ExitCode) = 0:0 ]" &&
	in_cluster scontrol -o show job $original | grep "Comment=mine; windtunnel: completed by job $copy" &&
	test "$(field $original BatchHost)" = n3 && test "$(field $copy BatchHost)" != n3 && test "$(field $copy ExcNodeList)" = n3 &&
	in_cluster scontrol -o show job $copy | grep "StdOut=.*_[0-6].attempt2" && each_once 7 && test "$(counter copies_won)" = 1 && no_crash
'
test_expect_success 'windtunnel straggler status, nodes and record tell of it' '
	in_cluster windtunnel straggler status $job >text && grep "won published" text && in_cluster windtunnel straggler nodes >text &&
	grep "n3 .*[1-9]" text && in_cluster windtunnel straggler record --time 1 --job $job beats.log &&
	windtunnel straggler replay beats.log >text && test_must_fail in_cluster windtunnel straggler status 4000000 2>err && grep 4000000 err
'
test_expect_success 'an array without a straggler has no copy; a job without --speculate none either' '
	before=$(counter copies) && STEP=0.5 && export STEP && run_array --speculate --array=0-6 && other=$(submit -o /dev/null --array=0-1 --wrap true) &&
	wt_poll 90 empty && test "$(counter copies)" = "$before" && unset STEP && test_must_fail status $other
'
test_expect_success 'a failing original does not fail the task while its copy runs' '
	FAIL=4 && export FAIL && run_array --speculate --array=0-6 && unset FAIL && after=$(submit -d afterok:$job -o /dev/null --wrap true) &&
	wt_poll 90 eval "status $job | grep -q waiting" && wt_poll 120 state_is $after COMPLETED && each_once 7 && test "$(counter held)" -ge 1
'
test_expect_success 'scancel ends a task and its copy' '
	STEP=6 && export STEP && run_array --speculate --array=0-6 && unset STEP && wt_poll 90 has_copy $job && copy=$(copy_of $job) && in_cluster scancel $job &&
	wt_poll 60 empty && state_is $copy CANCELLED
'
test_expect_success 'slurmctld killed between a copy and its commit: exactly one commit, and no orphan' '
	run_array --speculate --array=0-6 && after=$(submit -d afterok:$job -o /dev/null --wrap true) && wt_poll 90 has_copy $job &&
	pid=$(daemon_pid) && kill -9 $pid && wt_poll 60 eval "! kill -0 $pid" && wt_poll 90 in_cluster scontrol ping &&
	wt_poll 180 empty && each_once 7
'
test_expect_success 'a start of the copy that a killed slurmctld has forgotten, and its second start, publish once between them' '
	run_array --speculate --array=0-6 && wt_poll 90 has_copy $job && copy=$(copy_of $job) && wt_poll 60 state_is $copy RUNNING &&
	task=$(status $job | jq ".arrays[].task[] | select(.copies == 1).task") &&
	forgotten() { in_cluster env WT_PROGRESS_FILE=x WT_STRAGGLER_CONF="$dir/straggler.conf" SLURM_JOB_ID=$copy WT_INSTANCE=$1.0.00000000000000aa wt-commit \
		--timeout 1 sh -c "echo $task 2 >>$OUT/done"; } &&
	test_expect_code 1 forgotten 1_$task && test_expect_code 1 forgotten ${job}_99 &&	# that number was another task'"'"'s copy
	forgotten ${job}_$task && wt_poll 120 empty && each_once 7
'
test_expect_success 'agents that are killed: another one takes over, nothing is lost' '
	run_array --speculate --array=0-6 && wt_poll 60 eval "[ \$(status $job | jq .arrays[].running) = 7 ]" &&
	fuser -k "$dir"/progress/n0/agent "$dir"/progress/n1/agent >/dev/null 2>&1 || : && wt_poll 120 has_copy $job &&
	wt_poll 120 empty && each_once 7
'
test_expect_success 'munged down for a while: said once, jobs go on' '
	run_array --speculate --array=0-3 &&
	wt_poll 60 eval "[ \$(status $job | jq .arrays[].running) = 4 ]" &&
	pid=$(jq -r ".daemons[] | select(.name == \"munged\") | .pid" "$dir/state.json") && kill -STOP $pid && sleep 3 && kill -CONT $pid &&
	wt_poll 120 empty && each_once 4
'
test_expect_success 'slurmctld has neither crashed nor logged an error of ours that is not expected' '
	no_crash && grep "error: straggler" "$log" | grep -v -e "Window=soon" -e munged >out || : && wt_empty out
'
test_expect_success 'nothing is left' '
	cp "$dir/cluster.json" cluster.json && windtunnel cluster down s && wt_nothing_left cluster.json
'
test_done
