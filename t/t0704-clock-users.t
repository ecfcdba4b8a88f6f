#!/bin/sh
test_description='clients and tasks of other users of clusters in virtual time: they see its time, and can change nothing'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
if [ "$(id -u)" != 0 ]; then
	skip_all="only root can be several users"
	test_done
fi
wt_as_user true
WT_LIBEXECDIR="$WT_TMP/user"	# where others may look
dir=$WINDTUNNEL_STATE/v
# as_other COMMAND...: of another user, begun in the experiment; from_outside COMMAND...: of one who has been told where
# the clock is.
as_other() { windtunnel cluster exec v -- setpriv --reuid nobody --regid nogroup --clear-groups env --chdir / "$@"; }
from_outside() {
	wt_as_user env SLURM_CONF="$dir/slurm.conf" WINDTUNNEL_CLOCK="$memory" LD_PRELOAD="$WT_TMP/user/libwtclock.so" "$@"
}
drive() { windtunnel cluster exec --drive v -- "$@"; }
# guest_start: one from outside that sleeps long; its pid is in $guest.
guest_start() {
	rm -f "$WT_TMP/user/guest" &&
		{ from_outside sh -c "echo \$\$ >$WT_TMP/user/guest.new &&
		mv $WT_TMP/user/guest.new $WT_TMP/user/guest && exec sleep 100000" & } &&
	wt_poll 30 test -e "$WT_TMP/user/guest" && guest=$(cat "$WT_TMP/user/guest") &&
	wt_poll 30 grep -q "sleep" "/proc/$guest/comm" &&
	wt_poll 30 grep -q "\.view" "/proc/$guest/maps"
}
guest=
cleanup 'test -z "$guest" || kill -9 "$guest"'
in_v() { windtunnel cluster exec v -- "$@"; }
queue_empty() { queue=$(in_v squeue -h) && test -z "$queue"; }

test_expect_success 'a cluster; other users may read its time and nothing else' '
	chmod 755 "$WT_TMP" && windtunnel cluster up v --nodes 4 --clock virtual --charge none -q &&
	memory=$(jq -r .virtual_clock "$dir/cluster.json") &&
	test "$(stat -c %a "$memory")" = 600 && test "$(stat -c "%a %s" "$memory.view")" = "644 128" &&
	# there is no such option any more
	test_expect_code 64 "$WT_LIBEXECDIR/wt-clockd" --shm "$WT_TMP/shm" --shared 2>err && grep "shared" err &&
	test ! -e "$WT_TMP/shm"
'
test_expect_success 'sbatch, squeue, scancel and srun of another user, begun inside and outside' '
	drive sleep 7200 &&
	for other in as_other from_outside; do
		job=$($other sbatch --parsable -o /dev/null --wrap "sleep 3000") &&
		wt_poll 30 eval "in_v squeue -h -t R -j $job | grep $job" &&
		$other squeue -h -j $job -o "%u %T %M" >out && grep "^nobody RUNNING 0:[0-9][0-9]$" out &&
		test $(($($other date +%s) - $(in_v date +%s))) -le 1 &&
		$other scancel $job && wt_poll 30 queue_empty &&
		$other srun -n4 sleep 1 || return 1
	done
'
test_expect_success 'while a driver lets hours pass, they are served at the rate of the machine' '
	{ drive sh -c "while test -d \"$WT_TMP\" && test ! -e \"$WT_TMP/enough\"; do sleep 600; done" & driver=$!; } &&
	for i in 1 2 3; do
		from_outside srun -n2 sleep 1 && from_outside sinfo -h -o %D >out && grep -x 4 out || return 1
	done &&
	touch "$WT_TMP/enough" && wait $driver
'
test_expect_success 'every kind of wait, of another user' '
	cp "$WT_BUILDDIR/harness/clock/waiter" "$WT_TMP/user/" &&
	{ from_outside waiter 0.3 >out 2>&1 || { cat out; from_outside waiter 3 >out 2>&1; } || { cat out; false; }; }
'
test_expect_success 'a guest that waits sees as much time pass as the machine; one that is killed holds up nobody' '
	cat >guest.pl <<-\END &&
		use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);
		my $t = clock_gettime(CLOCK_MONOTONIC);
		sleep 0.7;
		my $s = clock_gettime(CLOCK_MONOTONIC) - $t;
		print "$s\n";
		exit ($s >= 0.65 && $s < 30 ? 0 : 1);
	END
	from_outside perl - <guest.pl &&
	guest_start && kill -9 $guest && { wait || :; } && in_v date +%s >before && drive sleep 5000 &&
	in_v date +%s >after &&
	test $(($(cat after) - $(cat before))) -ge 5000
'
test_expect_success 'a process of another user with the clock in its environment cannot write into it, nor keep it' '
	! wt_as_user cat "$memory" >out 2>err && grep -i denied err &&
	! wt_as_user dd if=/dev/zero of="$memory.view" count=1 2>err && grep -i denied err &&
	guest_start &&
	windtunnel cluster down v && test ! -e "$memory" && test ! -e "$memory.view" && kill -0 $guest && kill $guest &&
	guest=
'
test_expect_success 'tasks of another user on real nodes' '
	windtunnel cluster up v --nodes 2 --backend slurmd --clock virtual -q &&
	memory=$(jq -r .virtual_clock "$dir/cluster.json") &&
	as_other srun -N2 sh -c "sleep 1; id -un" >out && test "$(sort -u out)" = nobody && test_line_count = 2 out &&
	job=$(as_other sbatch --parsable -o /dev/null --wrap "sleep 2") &&
	wt_poll 60 eval "in_v scontrol show job $job | grep JobState=COMPLETED" &&
	windtunnel cluster down v && test ! -e "$memory" && test ! -e "$memory.view"
'
test_done
