#!/bin/sh
test_description='speculation on virtual nodes: their heartbeats, copies, slow nodes, hung tasks'
. "$WT_SRCDIR/t/setup.sh"

# 8 nodes of 2 CPUs.  Windows of 1 s, so that tasks of 8 s are long.
dir="$WINDTUNNEL_STATE/v" log="$WINDTUNNEL_STATE/v/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec v -- "$@"; }
status() { in_cluster windtunnel straggler status --json "$@"; }
counter() { status | jq ".counters.$1"; }
submit() { in_cluster sbatch --parsable -n1 -o /dev/null "$@"; }
empty() { queue=$(in_cluster squeue -h) && [ -z "$queue" ]; }	# a squeue that fails says nothing, either
job_is() { in_cluster scontrol -o show job "$1" | grep -q "JobState=$2"; }
up() {
	windtunnel cluster up v --nodes 8 --shape "core:2 pu:1" --plugin straggler \
		--quiet --set SchedulerParameters=batch_sched_delay=0 "$@" &&
	wt_poll 30 grep "straggler: version" "$log" &&
	printf "Window=1\nSilence=4\nMinAge=2\n" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log"
}
# The agents of jobs that have just ended have nothing left to tell.
all_said() { said=$(counter messages) && sleep 2 && test "$(counter messages)" = "$said"; }
stat_of() { jq ".$1" "$dir/nodes/stats.json"; }

test_expect_success 'tasks on virtual nodes report; those of a slow node get a copy, which wins, and afterok is released' '
	up --node "slow=n3:5" --node noise=0.1 && job=$(submit --speculate --array=0-11 --wrap "sleep 8") &&
	after=$(submit -d afterok:$job --wrap "sleep 0.1") && wt_poll 120 job_is $after COMPLETED &&
	test "$(counter copies_won)" -ge 1 && test "$(counter backwards)" = 0 && test "$(counter range)" = 0 &&
	status $job | jq -e ".arrays[].task[] | select(.copies == 1).attempts[] | select(.attempt == 1).node" >slow &&
	grep n3 slow &&
	accepted=$(counter accepted) && test $accepted -ge $((12 * 3)) &&
	wt_poll 10 eval "[ \$(stat_of heartbeats) -ge $accepted ]"
'
test_expect_success 'a job without --speculate says nothing' '
	wt_poll 60 empty && wt_poll 30 all_said && before=$(counter messages) &&
	job=$(submit --array=0-3 --wrap "sleep 3") && wt_poll 60 empty &&
	test "$(counter messages)" = "$before"
'
test_expect_success 'the node process is killed: scripts go on, and so do their heartbeats' '
	job=$(submit --speculate --array=0-3 --wrap "sleep 3600") &&
	wt_poll 30 eval "[ \$(status $job | jq .arrays[].running) -ge 4 ]" &&
	wt_daemon_restart "$dir" vnoded KILL &&
	wt_poll 30 eval "[ \"\$(stat_of registered)\" = 8 ]" && messages=$(counter messages) &&
	wt_poll 30 eval "[ \$(counter accepted) -gt 0 ]" &&
	wt_poll 30 eval "[ \$(counter messages) -gt $((messages + 1)) ]" && test "$(counter backwards)" = 0
'
# reported JOB: all of its four tasks have, so that their agents have sessions.
reported() { test "$(status $1 | jq "[.arrays[].task[].attempts[] | select(.progress > 0)] | length")" = 4; }
# saved JOB: slurmctld saves only what has changed; the job is changed until it has.  A job that it had not saved it
# forgets when it is killed, and its nodes then end it.
saved() { in_cluster scontrol update JobId=$1 Comment="$(date)" && test "$dir/ctld/job_state" -nt reported; }
test_expect_success 'slurmctld is killed: the agents are told that it does not know their sessions, and open others' '
	in_cluster scancel $job && wt_poll 60 empty && job=$(submit --speculate --array=0-3 --wrap "sleep 3600") &&
	wt_poll 60 reported $job &&
	touch reported && wt_poll 60 saved $job &&
	wt_daemon_restart "$dir" slurmctld KILL &&
	wt_poll 60 status && wt_poll 30 eval "[ \$(counter no_session) -ge 1 ]" &&
	wt_poll 30 eval "[ \$(counter sessions) -ge 1 ]" &&
	wt_poll 30 eval "[ \$(counter messages) -ge 1 ]" && test "$(counter bad_mac)" = 0 && test "$(counter replayed)" = 0
'
test_expect_success 'hung tasks, with reports that are lost and late: they get copies, and the array ends' '
	in_cluster scancel -u "$(id -un)" && windtunnel cluster down v &&
	up --node hang=0.2 --node seed=4 --node beat-loss=0.2 --node beat-delay=0-0.3 &&
	job=$(submit --speculate --array=0-15 --wrap "sleep 6") &&
	wt_poll 30 eval "[ \$(status $job | jq .arrays[].copies) -ge 1 ]" &&
	wt_poll 30 eval "[ \$(stat_of heartbeat_reports_lost) -ge 1 ]" &&
	wt_poll 60 eval "[ \$(counter copies_won) -ge 1 ]" &&
	in_cluster scancel $job && wt_poll 60 empty
'
test_expect_success 'tasks that fall silent, with no copies to make: the log says so, once for their array' '
	job=$(submit --speculate=copies=0 --array=0-47 --wrap "sleep 6") &&
	wt_poll 90 grep "straggler: ${job}_[0-9]* (JobId=[0-9]* on n[0-7]) runs, but nothing was heard of it for [0-9]* s" \
		"$log" &&
	sleep 3 && test "$(grep -c "straggler: ${job}_.*but nothing was heard of it" "$log")" = 1 ; said=$?
	in_cluster scancel $job && wt_poll 60 empty && test $said = 0
'
test_expect_success 'a saved copy whose number is now another job: that one runs on, whoever it belongs to' '
	for name in own foreign; do
		uid=$(id -u) && test $name = own || uid=$((uid + 1)) &&
		job=$(submit -J saved_$name --wrap "sleep 600") && wt_poll 30 job_is $job RUNNING &&
		wt_poll 60 grep -q saved_$name "$dir/ctld/job_state" &&
		kill -STOP "$(wt_daemon_pid "$dir" slurmctld)" &&	# it would write its own again, and miss what goes
		printf "windtunnel-straggler 3\ntask 900000 0 $uid 1 0 0 0 0 999999\nattempt $job 2 0\nend 2\n" \
			>"$dir/ctld/windtunnel_straggler" &&
		rm "$dir/ctld/windtunnel_straggler.owner" && wt_daemon_restart "$dir" slurmctld KILL &&
		wt_poll 60 status && sleep 5 && job_is $job RUNNING && in_cluster scancel $job || return 1
	done && wt_poll 60 empty
'
test_expect_success 'slurmctld has neither crashed nor logged an error of ours' '
	! grep "ended: signal \(11\|6\)" "$dir/daemons.log" && ! grep "error: straggler" "$log"
'
test_expect_success 'the benches say what they take' '
	for bench in heartbeats slow-nodes commits; do
		"$WT_SRCDIR/bench/$bench" --help >out && grep "Usage: bench/$bench" out && grep -e --nodes out &&
		test_expect_code 2 "$WT_SRCDIR/bench/$bench" --frobnicate 2>err && grep -e "--frobnicate" err &&
		test_expect_code 1 "$WT_SRCDIR/bench/$bench" --tasks some 2>err && grep "whole numbers" err || return 1
	done
'
test_expect_success 'nothing is left' '
	cp "$dir/cluster.json" cluster.json && windtunnel cluster down v && wt_nothing_left cluster.json
'
test_done
