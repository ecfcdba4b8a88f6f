#!/bin/sh
test_description='the virtual clock: library and coordinator, without any Slurm daemon'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
PATH="$WT_BUILDDIR/harness/clock:$PATH"
LIBRARY=$WT_BUILDDIR/harness/clock/.libs/libwtclock.so
SHM=$WT_TMP/shm

# clock_start OPTION...: a coordinator; its pid is in $clockd.
clock_start() {
	test -z "$clockd" || kill -9 "$clockd" 2>/dev/null	# of a test that failed
	rm -f "$SHM"
	wt-clockd --shm "$SHM" --stats "$WT_TMP/stats.json" "$@" >/dev/null 2>"$WT_TMP/clockd.err" &
	clockd=$!
	wt_poll 10 test -e "$SHM"	# it gets this name when all is ready
}
clock_stop() {
	kill "$clockd" && wait "$clockd"
	clock_code=$? clockd=	# whoever gets that number next is not ours
	return $clock_code
}
in_clock() {
	env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" "$@"
}
# sleeps_in_clock PID: it waits by futex_waitv (2), number 449, as participants do.  The library is mapped a moment before
# it has joined.
sleeps_in_clock() {
	grep -q "^449 " "/proc/$1/syscall"
}
stat_of() {
	sed -n "s/^ *\"$1\": \(.*[^,]\),*\$/\1/p" "$WT_TMP/stats.json"
}
cleanup 'test -z "$clockd" || kill -9 "$clockd" 2>/dev/null || :'

mkfifo hold

# alone [COMMAND...]: in real time a stalled machine can mix up waits of a twentieth of a second; then it has longer ones,
# and once more.
alone() {
	"$@" waiter 0.05 >out 2>&1 || { cat out; "$@" waiter 0.5 >out 2>&1; } ||
		{ cat out; "$@" waiter 5 >out 2>&1; } || { cat out; false; }
}
test_expect_success 'every kind of wait, without a clock' '
	alone
'
test_expect_success 'the same with the library, but no clock' '
	alone env LD_PRELOAD="$LIBRARY"
'
for charge in none real cpu cpu:2.5; do
	test_expect_success "every kind of wait, for hours of virtual time, charge $charge" '
		clock_start --charge "$charge" --idle run --patience 20 &&
		{ test "$charge" != none && races=0 turns= || races=1 turns=TURNS=1; } &&
		{ in_clock $turns waiter 3600 >out 2>&1 || { cat out "$WT_TMP/clockd.err"; false; }; } &&
		clock_stop &&
		test "$(stat_of fallbacks)" = 0 && test "$(stat_of races)" = $races
	'
done
test_expect_success 'a clock outlives the place of its statistics' '
	mkdir gone && clock_start --charge none --idle run --patience 20 --stats "$PWD/gone/stats.json" &&
	wt_poll 10 test -e gone/stats.json && rm -r gone &&
	wt_poll 10 grep "gone/stats.json" "$WT_TMP/clockd.err" &&
	in_clock sleep 3600 && mkdir gone && clock_stop && test -s gone/stats.json &&
	test $(grep -c "gone/stats.json" "$WT_TMP/clockd.err") = 1
'
for role in none nodes; do	# of the nodes' process it is known, too, what it does to files
	test_expect_success "the clock stands while threads wake each other, role $role" '
		clock_start --charge none --idle run --patience 20 &&
		{ WINDTUNNEL_CLOCK_ROLE=$role in_clock waiter 3600 ring >out 2>&1 ||
			{ cat out "$WT_TMP/clockd.err"; false; }; } &&
		clock_stop &&
		test "$(stat_of fallbacks)" = 0
	'
done
test_expect_success 'what waits are for, and what may end them, is noted' '
	clock_start --charge none --idle run --patience 20 &&
	{ WINDTUNNEL_CLOCK_ROLE=nodes in_clock waiter 3600 kinds >out 2>&1 || { cat out "$WT_TMP/clockd.err"; false; }; } &&
	clock_stop && test "$(stat_of fallbacks)" = 0
'
test_expect_success 'processes that sleep side by side keep their order' '
	clock_start --charge none --idle run --patience 20 &&
	for i in 1 2 3 4 5; do
		in_clock sh -c "date +%s >began
			{ sleep 30; echo c; sleep 30; echo e; } &
		{ sleep 20; echo b; sleep 20; echo d; } & sleep 10; echo a; wait
			date +%s >ended" >out || return 1
		test "$(tr -d "\n" <out)" = abcde && test $(($(cat ended) - $(cat began))) = 60 || return 1
	done &&
	clock_stop
'
test_expect_success 'without a driver the clock does not jump' '
	clock_start --charge none &&
	in_clock sleep 0.2 &&
	clock_stop &&
	test "$(stat_of jumps)" = 0
'
test_expect_success 'a driver lets it jump, and then it stands where the driver left it' '
	clock_start --charge none --idle stand --patience 20 --epoch 1000000000 &&
	WINDTUNNEL_CLOCK_ROLE=driver in_clock perl -e "sleep 500" &&	# sleep of Debian 13 asks for 1 ns more
	test "$(in_clock date +%s.%N)" = 1000000500.000000000 &&
	clock_stop
'
# stands: the clock shows the same moment twice, with as much between them as it takes to jump over hours.
stands() {
	moment=$(in_clock date +%s.%N) && sleep 0.2 && test "$moment" = "$(in_clock date +%s.%N)"
}
test_expect_success 'a driver that has ended does not drive, though nobody has fetched it' '
	clock_start --charge none --idle stand --patience 20 &&
	{ in_clock sh -c "while sleep 10; do :; done" & sleeper=$!; } &&
	{ perl -e "my \$driver = fork; if (!\$driver) {
			@ENV{qw(WINDTUNNEL_CLOCK LD_PRELOAD WINDTUNNEL_CLOCK_ROLE)} = (@ARGV, q(driver));
			exec qw(sleep 500) }
		open my \$out, q(>), q(driver.new); print \$out \$driver; close \$out;
		rename qw(driver.new driver); <STDIN>" "$SHM" "$LIBRARY" <hold & parent=$!; } &&
	exec 9>hold && wt_poll 30 test -e driver && wt_poll 30 grep -q ") Z " "/proc/$(cat driver)/stat" &&
	wt_poll 30 stands && grep -q ") Z " "/proc/$(cat driver)/stat" && exec 9>&- && wait $parent &&
	kill $sleeper && { wait $sleeper || :; } && clock_stop
'
test_expect_success 'other users have no part in it: --shared is no option, and its memory is its user'"'"'s alone' '
	test_expect_code 64 wt-clockd --shm "$WT_TMP/other" --shared 2>err && test ! -e "$WT_TMP/other" &&
	(umask 0 && clock_start --charge none) &&
	test "$(stat -c %a "$SHM")" = 600 && test "$(stat -c %a "$SHM.view")" = 644 &&
	kill $(pgrep -f -- "^wt-clockd --shm $SHM ") && wt_poll 10 test ! -e "$SHM.view"
'
test_expect_success 'charge none: every clock begins at the same second, whatever the time of day; others begin now' '
	clock_start --charge none --idle stand --patience 20 &&
	in_clock date -u +%FT%T.%N >out && echo 2026-01-01T00:00:00.000000000 >expect && test_cmp expect out &&
	clock_stop &&
	clock_start --charge real --idle stand --patience 20 &&
	test $(($(date +%s) - $(in_clock date +%s))) -lt 300 &&
	clock_stop
'
# All but the header and the time line; no process and no thread has a negative number, so nobody is meant.
test_expect_success 'whatever stands in its memory, the coordinator does not crash' '
	clock_start --charge real --idle run && in_clock sleep 10 && size=$(stat -c %s "$SHM") &&
	head -c $((size - 256)) /dev/zero | tr "\0" "\377" | dd of="$SHM" bs=256 seek=1 conv=notrunc 2>/dev/null &&
	more() { test "$(stat_of surveys)" -gt $surveys; } &&
	for i in 1 2; do
		surveys=$(stat_of surveys) && wt_poll 30 more || return 1	# the first may have been made before
	done &&
	clock_stop && ! grep memory "$WT_TMP/clockd.err"
'
test_expect_success 'files that a participant writes are of its time' '
	clock_start --charge none --idle stand --patience 20 --epoch 2000000000 &&
	echo x >real && in_clock cp real file &&
	test "$(stat -c %Y file)" = 2000000000 &&
	clock_stop
'
test_expect_success 'a program without the library is waited for in real time, and named' '
	clock_start --charge none --idle run --patience 0.1 &&
	in_clock sh -c "env -u LD_PRELOAD sleep 0.5" &&
	clock_stop &&
	grep -q "a program runs without the clock library: begun by env" "$WT_TMP/clockd.err" &&
	test "$(stat_of fallbacks)" -ge 1
'
test_expect_success 'a program that is begun with another environment takes part all the same' '
	clock_start --charge none --idle run --patience 20 &&
	in_clock env -i sleep 500 &&
	in_clock perl -e "%ENV = (LD_PRELOAD => q(libm.so.6)); exec qw(/bin/sh -c), q(/bin/sleep 500; echo \$LD_PRELOAD)" \
		>out &&
	grep "/libwtclock.so:libm.so.6$" out &&
	clock_stop &&
	test "$(stat_of fallbacks)" = 0
'
test_expect_success 'a thread that spins until time has passed does not hang, and is named' '
	clock_start --charge none --idle run --patience 0.2 &&
	in_clock perl -e "use Time::HiRes qw(time); my \$t = time + 0.3; 1 while time < \$t" &&
	clock_stop &&
	grep -q "a thread is busy reading the clock: perl" "$WT_TMP/clockd.err"
'
test_expect_success 'when the coordinator is killed, its participants end and say why' '
	clock_start --charge none --idle stand &&
	{ env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" sleep 1000 2>err & sleeper=$!; } &&
	wt_poll 10 sleeps_in_clock "$sleeper" &&
	kill -9 "$clockd" &&
	test_expect_code 75 wait "$sleeper" &&
	grep -q "^sleep\[$sleeper\]: .*coordinator of $SHM (pid $clockd) has died" err && clockd=
'
test_expect_success 'when it ends, they do so, too' '
	clock_start --charge none --idle stand &&
	{ env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" sleep 1000 2>err & sleeper=$!; } &&
	wt_poll 10 sleeps_in_clock "$sleeper" &&
	clock_stop &&
	test_expect_code 75 wait "$sleeper" &&
	grep -q "has ended" err
'
test_expect_success 'when the experiment is closed, what still sleeps goes on in real time' '
	clock_start --charge none --idle stand &&
	kill -USR1 "$clockd" &&
	in_clock sleep 0.2 &&
	clock_stop
'
test_expect_success 'it ends with its last participant when told so' '
	clock_start --charge none --idle run --while-used &&
	in_clock sleep 500 &&
	wait "$clockd" && clockd= && test ! -e "$SHM"
'
test_expect_success 'it does not end because it got no CPU for a while' '
	clock_start --charge none --idle stand --while-used &&
	{ env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" sleep 1000 2>err & sleeper=$!; } &&
	wt_poll 10 sleeps_in_clock "$sleeper" &&
	for i in 1 2 3; do
		kill -STOP "$clockd" && sleep 1.2 && kill -CONT "$clockd" || return 1
	done &&
	WINDTUNNEL_CLOCK_ROLE=driver in_clock sleep 1500 && wait "$sleeper" && wait "$clockd" && clockd= && wt_empty err
'
test_expect_success 'a killed participant does not hold up the others' '
	clock_start --charge none --idle stand &&
	{ env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" perl -e "1 while 1" & burner=$!; } &&
	{ env WINDTUNNEL_CLOCK="$SHM" LD_PRELOAD="$LIBRARY" sleep 1000 & sleeper=$!; } &&
	wt_poll 10 grep -q "libwtclock" "/proc/$burner/maps" && wt_poll 10 sleeps_in_clock "$sleeper" &&
	kill -9 "$burner" "$sleeper" && { wait "$burner" "$sleeper" || :; } &&
	WINDTUNNEL_CLOCK_ROLE=driver in_clock perl -e "sleep 500" &&	# sleep of Debian 13 asks for 1 ns more
	clock_stop
'
test_expect_success 'a process does not start with a clock that is none' '
	rm -f "$SHM" &&
	test_expect_code 75 in_clock true 2>err && grep -q "cannot open" err &&
	echo x >"$SHM" &&
	test_expect_code 75 in_clock true 2>err && grep -q "is not a clock" err &&
	head -c 10000000 /dev/zero >"$SHM" &&
	test_expect_code 75 in_clock true 2>err && grep -q "not the memory of a clock" err
'
# With ever more room for its mappings the process first does not start, then has none for the clock (5 MiB), then has all.
mapping_fails() {
	for room in $(seq 2048 1024 65536); do
		(ulimit -v "$room" && in_clock true) 2>err
		code=$?
		! grep -q "cannot map $SHM" err || return "$code"
	done
	return 1
}
test_expect_success 'a process that has no room for the clock says so, and ends' '
	clock_start && test_expect_code 75 mapping_fails && clock_stop
'
test_expect_success 'the coordinator refuses nonsense with one line' '
	rm -f "$SHM" &&
	for bad in "--charge x" "--charge cpu:0" "--charge cpu:x" "--idle x" "--watch 0" "--watch x" "--patience 0" \
		"--epoch -1" "--jump-max x"; do
		test_expect_code 64 wt-clockd --shm "$SHM" $bad 2>err && test_line_count = 2 err &&
		test ! -e "$SHM" || return 1
	done &&
	test_expect_code 64 wt-clockd 2>err && grep -q "shm FILE is missing" err &&
	test_expect_code 1 wt-clockd --shm "$WT_TMP/no/shm" 2>err && test_line_count = 1 err &&
	test_expect_code 1 wt-clockd --shm "$SHM" --watch 4194304 2>err && grep -q "no process 4194304" err &&
	test ! -e "$SHM"
'
test_done
