#!/bin/sh
test_description='speculation with real slurmds: starts of a task after its first, and several wt-commit in one'
. "$WT_SRCDIR/t/setup.sh"

. "$WT_SRCDIR/t/speculate.sh"
PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
dir="$WINDTUNNEL_STATE/s" log="$WINDTUNNEL_STATE/s/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec s -- "$@"; }
array() {
	OUT=$(mktemp -d "$WT_TMP/out.XXXXXX") && export OUT &&
	job=$(in_cluster sbatch --parsable -n1 -o "$OUT/%A_%a" --speculate "$@")
}
published() { each_once "$1" "$OUT"; }
starts_of() { [ "$(grep -c "^$1 " "$OUT/starts")" = "$2" ]; }
chmod 755 "$WT_TMP"
# Says so when it starts, and waits for the file "go"; SLURM_RESTART_COUNT is Slurm's word on which start this is.
cat >task.sh <<-'END2' && chmod 755 task.sh
	#!/bin/sh
	echo "$SLURM_ARRAY_TASK_ID ${SLURM_RESTART_COUNT:-0} $WT_INSTANCE" >>"$OUT/starts"
	while [ ! -e "$OUT/go" ]; do wt-progress 1 4; sleep 0.2; done
	[ ! -e "$OUT/fail" ] || exit 3
	wt-commit sh -c "echo $SLURM_ARRAY_TASK_ID >>$OUT/done"
END2
# Requeued jobs begin when their credential has expired.
test_expect_success 'a cluster with the plugin' '
	windtunnel cluster up s --backend slurmd --nodes 2 --shape "core:2 pu:1" --plugin straggler --quiet \
		--set SchedulerParameters=batch_sched_delay=0 --set AuthInfo=cred_expire=10 --set KillWait=5 &&
	wt_poll 30 grep "straggler: version" "$log" &&
	printf "Window=1\nSilence=30\nMinAge=5\n" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log"
'
reports_of() {
	status "$job" | jq ".arrays[].task[] | select(.task == $1).attempts[] |
		select(.state == \"running\" and .progress == 0.25)" | grep -q attempt
}
test_expect_success 'a task that is requeued publishes, from its second start' '
	array --requeue --array=0-1 task.sh && wt_poll 60 starts_of 0 1 && wt_poll 60 starts_of 1 1 &&
	wt_poll 30 reports_of 0 &&
	in_cluster scontrol requeue ${job}_0 && wt_poll 120 starts_of 0 2 &&
	test "$(sed -n "s/^0 //p" "$OUT/starts" | cut -d" " -f1 | tail -n 1)" = 1 &&
	wt_poll 30 reports_of 0 && >"$OUT/go" && wt_poll 60 empty && published 2
'
# as_start TASK WT_INSTANCE COMMAND...: wt-commit in that start's name.
as_start() {
	as_task=$1 as_instance=$2 && shift 2 &&
	as_job=$(status $job | jq ".arrays[].task[] | select(.task == $as_task).attempts[0].job_id") &&
	in_cluster env WT_PROGRESS_FILE=x WT_STRAGGLER_CONF="$dir/straggler.conf" SLURM_JOB_ID=$as_job \
		WT_INSTANCE=$as_instance wt-commit --timeout 3 "$@"
}
instance_of() { sed -n "s/^$1 $2 //p" "$OUT/starts" | tail -n 1; }
test_expect_success 'the earlier start of a requeued task publishes no more, whenever it asks; nor one that nobody knows' '
	array --requeue --array=0-1 task.sh && wt_poll 60 starts_of 0 1 && wt_poll 60 starts_of 1 1 &&
	in_cluster scontrol requeue ${job}_0 &&
	wt_poll 120 starts_of 0 2 && wt_poll 30 reports_of 0 && test "$(instance_of 0 0)" != "$(instance_of 0 1)" &&
	test_expect_code 1 as_start 0 "$(instance_of 0 0)" true &&
	test_expect_code 1 as_start 0 ${job}_0.2.00000000000000aa true &&
	as_start 0 "$(instance_of 0 1)" true && >"$OUT/go" && wt_poll 60 empty && published 2
'
# Of a shell in which a requeued job'"'"'s environment is set.
test_expect_success 'a submission out of a requeued job: the count is that of its own job' '
	SLURM_RESTART_COUNT=7 && export SLURM_RESTART_COUNT && array --array=0-1 task.sh && unset SLURM_RESTART_COUNT &&
	>"$OUT/go" && wt_poll 60 empty && published 2
'
# The first one publishes until "go" exists; the second one fails; then another start asks, as a copy would.
cat >two.sh <<-'END2' && chmod 755 two.sh
	#!/bin/sh
	echo "$SLURM_ARRAY_TASK_ID 0 $WT_INSTANCE" >>"$OUT/starts"
	wt-commit sh -c "cd $OUT; >publishing; while [ ! -e go ]; do sleep 0.2; done; echo $SLURM_ARRAY_TASK_ID >>done" &
	while [ ! -e "$OUT/publishing" ]; do wt-progress 1 4; sleep 0.2; done
	wt-commit false
	wt-commit no-such-command
	>"$OUT/failed"
	while [ ! -e "$OUT/go" ]; do wt-progress 1 4; sleep 0.2; done
	wait
END2
test_expect_success 'a wt-commit that fails takes nothing from another one of the same task, which is publishing' '
	array --array=3 two.sh && wt_poll 60 test -e "$OUT/failed" && other=$(instance_of 3 0) &&
	other=${other%.*}.00000000000000aa &&
	test_expect_code 1 as_start 3 "$other" true && >"$OUT/go" && wt_poll 60 empty && test "$(cat "$OUT/done")" = 3 &&
	test_must_fail grep -h "not recorded" "$OUT"/*_3
'
# Publishes in the background until "go" exists, in a session of its own, and fails meanwhile.
cat >behind.sh <<-'END2' && chmod 755 behind.sh
	#!/bin/sh
	echo "$SLURM_ARRAY_TASK_ID 0 $WT_INSTANCE" >>"$OUT/starts"
	setsid wt-commit sh -c "echo \$\$ >$OUT/pid; while [ ! -e $OUT/go ]; do sleep 0.2; done; echo 0 >>$OUT/done" &
	while [ ! -s "$OUT/pid" ]; do wt-progress 1 4; sleep 0.2; done
	echo $$ >"$OUT/script"
	[ -z "$STAY" ] || sleep 600
	exit 3
END2
gone() { ! kill -0 "$(cat "$OUT/$1")"; }
test_expect_success 'a script fails while its wt-commit publishes: the right stays where it is, and the job, too' '
	array --array=4 behind.sh && wt_poll 60 test -s "$OUT/script" && wt_poll 30 gone script &&
	other=$(instance_of 4 0) && other=${other%.*}.00000000000000aa &&
	test_expect_code 1 as_start 4 "$other" true && test_must_fail gone pid && >"$OUT/go" && wt_poll 60 empty &&
	test "$(cat "$OUT/done")" = 0 && test_must_fail grep -h "not recorded" "$OUT"/*_4
'
test_expect_success 'a job is cancelled while its wt-commit publishes out of its reach: that ends before the job' '
	STAY=yes && export STAY && array --array=5 behind.sh && unset STAY && wt_poll 60 test -s "$OUT/script" &&
	in_cluster scancel "$job" && wt_poll 60 empty && gone pid && test ! -e "$OUT/done"
'
# Task 0 catches SIGTERM and fails, task 1 passes over it until it is killed, task 2 fails by itself.
cat >catch.sh <<-'END2' && chmod 755 catch.sh
	#!/bin/sh
	[ $SLURM_ARRAY_TASK_ID = 1 ] && trap "" TERM || trap "exit 3" TERM
	echo "$SLURM_ARRAY_TASK_ID 0 $WT_INSTANCE" >>"$OUT/starts"
	[ $SLURM_ARRAY_TASK_ID != 2 ] || exit 3
	while :; do sleep 0.2; done
END2
# Takes connections and never answers; without an agent only slurmstepd speaks to it.
cat >silent.pl <<-'END2'
	use IO::Socket::INET; $| = 1;
	my ($s, @kept) = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1") or die;
	print $s->sockport, "\n";
	while (my $c = $s->accept) { push @kept, $c; print "connected\n" }
END2
test_expect_success 'a job is cancelled while the port is silent, its script catches that: no question is put' '
	{ perl silent.pl >silent & } && silent=$! && cleanup "kill $silent" && wt_poll 30 grep "^[0-9]" silent &&
	sed "s/^Port=.*/Port=$(cat silent)/; s/^Controller=.*/Controller=127.0.0.1/" "$dir/straggler.conf" \
		>"$dir/silent.conf" && grep "^Port=$(cat silent)" "$dir/silent.conf" &&
	cp "$dir/plugstack.conf" good.stack &&
	echo "required $WT_BUILDDIR/plugins/straggler/slurm/spank_speculate.so conf=$dir/silent.conf agent=/bin/true" \
		>"$dir/plugstack.conf" &&
	array --array=0-1 catch.sh && wt_poll 60 starts_of 0 1 && wt_poll 60 starts_of 1 1 &&
	in_cluster scancel "$job" && wt_poll 60 empty && test_line_count = 1 silent &&
	array --array=2 catch.sh && wt_poll 60 grep connected silent && wt_poll 60 empty &&
	cp good.stack "$dir/plugstack.conf"
'
test_expect_success 'straggler.conf is missing, comes back piece by piece: the settings stay, which is said once' '
	cp "$dir/straggler.conf" good.conf && rm "$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf: No such file.*stay as they were" "$log" &&
	array --array=0 task.sh && : >"$dir/straggler.conf" && cat good.conf >>"$dir/straggler.conf" &&
	wt_poll 60 starts_of 0 1 &&
	>"$OUT/go" && wt_poll 60 empty && published 1 && test "$(grep -c "stay as they were" "$log")" = 1
'
test_expect_success 'nothing is left' '
	no_crash && cp "$dir/cluster.json" cluster.json && windtunnel cluster down s && wt_nothing_left cluster.json
'
test_done
