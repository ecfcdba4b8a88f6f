#!/bin/sh
test_description='sbatch --speculate by an ordinary user: limits, licences, preemption, accounting; munged is down'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/speculate.sh"

# 5 nodes of 2 CPUs, all of an ordinary user; tasks on n3 are slow.  8 licences: an array of 7 leaves one for a copy.
for file in wt-progress wt-commit wt-agentd; do
	wt_as_user true && test ! -d "$WT_TMP/user" || cp "$WT_BUILDDIR/plugins/straggler/$file" "$WT_TMP/user/"
done
if test -d "$WT_TMP/user"; then
	mkdir "$WT_TMP/user/plugins" && cp -L "$WT_BUILDDIR"/plugins/straggler/slurm/*.so "$WT_TMP/user/plugins/" &&
		chown -R nobody "$WT_TMP/user"
	home="$WT_TMP/user" WT_PLUGINDIR="$WT_TMP/user/plugins"
	export WT_PLUGINDIR
else
	home="$WT_TMP"
	PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
fi
dir="$home/state/u" log="$home/state/u/ctld/slurmctld.log"
in_cluster() { wt_as_user windtunnel cluster exec u -- "$@"; }
speculate_task "$WT_TMP/script" && wt_as_user cp "$WT_TMP/script" "$home/task.sh"
run_array() {
	out=$(wt_as_user mktemp -d "$home/out.XXXXXX") &&
	job=$(in_cluster env OUT="$out" FAST="$fast" STEP="$step" COPY_STEP="$copy_step" HURRY="$out/hurry" sbatch \
		--parsable -n1 -o "$out/%A_%a" --speculate --array=0-6 "$@" "$home/task.sh")
}
hurry() { wt_as_user touch "$out/hurry"; }
fast=0.5 step=3 copy_step=0.1

test_expect_success 'a cluster of an ordinary user' '
	cat >"$WT_TMP/conf" <<-END &&
		Licenses=a:8
		SchedulerParameters=batch_sched_delay=0
		PreemptType=preempt/partition_prio
		PreemptMode=CANCEL
		JobCompType=jobcomp/filetxt
		JobCompLoc=$home/jobcomp
		PartitionName=low Nodes=ALL Default=YES PriorityTier=1 MaxTime=10
		PartitionName=high Nodes=ALL PriorityTier=9
	END
	chmod 644 "$WT_TMP/conf" && wt_as_user windtunnel cluster up u --backend slurmd --nodes 5 --shape "core:2 pu:1" \
		--plugin straggler --quiet --conf "$WT_TMP/conf" --keep JobCompType --keep JobCompLoc &&
	wt_poll 30 grep "straggler: version" "$log" &&
	wt_as_user sh -c "printf \"Window=1\nSilence=30\nMinAge=2\n\" >>$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log"
'
test_expect_success 'a copy has what its user asked for: partition, time limit, licences; it publishes for its user' '
	run_array -p low -t 5 -L a:1 && wt_poll 90 has_copy $job && copy=$(copy_of $job) &&
	original=$(in_cluster scontrol show job $copy |
		sed -n "s/.*(job \([0-9]*\)).*/\1/p") &&
	for name in UserId Partition TimeLimit Licenses NumCPUs WorkDir Command Account QOS; do
		test "$(field $copy $name)" = "$(field $original $name)" || { echo "$name differs"; return 1; }
	done && test "$(field $copy Licenses)" = a:1 && wt_poll 120 empty && each_once 7 "$out" &&
	test "$(stat -c %U "$out/done")" = "$(wt_as_user id -un)"
'
test_expect_success 'both attempts are in the accounting of finished jobs, the original as completed with exit code 0' '
	grep "^JobId=$original .*JobState=COMPLETED .*ExitCode=0:0" "$home/jobcomp" &&
	grep "^JobId=$copy .*JobState=COMPLETED .*ExitCode=0:0" "$home/jobcomp"
'
test_expect_success 'a copy waits for a licence like any other job, and takes none that is in use' '
	other=$(in_cluster sbatch --parsable -n1 -o /dev/null -L a:1 -t 5 -p low --wrap "sleep 250") && run_array -L a:1 &&
	wt_poll 90 has_copy $job && copy=$(copy_of $job) &&
	waits() { test "$(field $copy Reason)" = Licenses || ! state_is $copy PENDING; } && wt_poll 60 waits &&
	in_cluster scontrol show licenses | grep "Total=8 Used=[0-8] " && in_cluster scancel $other && wt_poll 120 empty &&
	each_once 7 "$out"
'
test_expect_success 'a copy that is preempted is not started again; its task ends by itself' '
	step=6 copy_step=20 && run_array -p low && wt_poll 90 has_copy $job && copy=$(copy_of $job) &&
	wt_poll 60 state_is $copy RUNNING &&
	node=$(field $copy BatchHost) && in_cluster sbatch -p high --exclusive -w $node -o /dev/null --wrap "sleep 1" &&
	wt_poll 60 state_is $copy PREEMPTED && hurry &&
	wt_poll 120 empty && each_once 7 "$out" && test "$(status $job | jq ".arrays[].copies")" = 1
'
# The supervisor starts munged again, so it is killed until the time is over.
test_expect_success "munged is down for ${WT_MUNGE_DOWN_S:-8} s: said once, jobs go on, reports are taken again" '
	fast=3 copy_step=6 && run_array && wt_poll 60 eval "test \$(status $job | jq .arrays[].running) -ge 7" &&
	end=$(($(date +%s) + ${WT_MUNGE_DOWN_S:-8})) && while test "$(date +%s)" -lt $end; do
		pid=$(daemon_pid munged) && test "$pid" = 0 || kill -9 "$pid" 2>/dev/null || :
		sleep 0.1
	done &&
	wt_poll 90 status $job && accepted=$(status | jq .counters.accepted) &&
	more() { test "$(status | jq .counters.accepted)" -gt $accepted; } &&
	wt_poll 30 more && hurry && wt_poll 150 empty && each_once 7 "$out" &&
	# it may answer between two kills
	test "$(grep -c "error: straggler:.*munge" "$log")" -le "$(grep -c "munged: started" "$dir/daemons.log")"
'
test_expect_success 'slurmctld has not crashed, and nothing is left' '
	! grep "ended: signal \(11\|6\)" "$dir/daemons.log" | grep -v munged && cp "$dir/cluster.json" cluster.json &&
	wt_as_user windtunnel cluster down u &&
	wt_nothing_left cluster.json
'
test_done
