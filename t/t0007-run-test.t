#!/bin/sh
test_description='t/run-test: each test has one try and a limit, and is shown in one piece'
. "$WT_SRCDIR/t/setup.sh"

RUN=$(cd "$WT_SRCDIR/t" && pwd)/run-test
# script NAME LINE: an executable script
script() {
	printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"
}
run() { "${PROVE:-prove}" --exec "$RUN" "$@" >out 2>err; }

test_expect_success 'scripts for it' '
	cd "$WT_TMP" &&
	script good.t "echo ok 1 - fine; echo 1..1" &&
	script once.t "test -e been && { echo ok 1; echo 1..1; exit; }; touch been
		echo why it failed >&2; echo not ok 1 - one; echo 1..1; exit 1" &&
	script silent.t "exit 0" &&
	script dies.t "echo ok 1; echo 1..1; kill -9 \$\$" &&
	script talks.t "for i in 1 2 3 4 5; do echo \$0 \$i >&2; sleep 0.1; done; echo ok 1; echo 1..1" &&
	cp talks.t other.t &&
	script long.t "trap \"echo cleaned up >&2; exit 130\" TERM; echo \$\$ >long.pid; sleep 600"
'
test_expect_success 'what passes passes, with its output' '
	run -v ./good.t && grep "^ok 1 - fine" out && wt_empty err
'
test_expect_success 'what fails fails, although a second try would pass, and it is shown why' '
	test_expect_code 1 run -j2 ./good.t ./once.t && grep "once.t.*Failed: 1" out && grep "why it failed" err &&
	run ./once.t
'
test_expect_success 'no plan is a failure, and so is a death behind the last test' '
	test_must_fail run ./silent.t && test_must_fail run ./dies.t && grep "dies.t: died of signal 9" err
'
# The limit begins before the script does, which has to come as far as to its clean-up, on a busy machine, too.
test_expect_success 'a script that hangs is ended, and cleans up' '
	rm -f long.pid && WT_LIMIT_S=12 test_must_fail run ./long.t && grep "long.t: was ended after 12 s" err &&
	grep "cleaned up" err &&
	test_must_fail kill -0 $(cat long.pid) 2>kill.err
'
test_expect_success 'Ctrl-C ends it, and what it has in the foreground' '
	rm long.pid && { perl -e "\$SIG{INT} = q(DEFAULT); exec @ARGV" "$RUN" ./long.t >out 2>err & pid=$!; } &&
	wt_poll 10 test -s long.pid &&
	kill -INT $pid && test_expect_code 124 wait $pid && grep "was ended by SIGINT" err &&
	test_must_fail kill -0 $(cat long.pid) 2>kill.err
'
test_expect_success 'a daemon that is left over keeps nobody waiting' '
	script leaves.t "sleep 600 & echo \$! >left.pid; echo ok 1; echo 1..1" && run ./leaves.t && kill $(cat left.pid)
'
test_expect_success 'two at the same time do not mix their words' '
	run -j2 ./talks.t ./other.t && sed "s/ .*//" err | uniq | wc -l >changes && test "$(cat changes)" = 2 &&
	test_line_count = 10 err
'
test_expect_success 'a command before the test, as valgrind' '
	"$RUN" env WT_X=7 sh -c "echo \$WT_X" >out && echo 7 >want && test_cmp want out
'
test_expect_success 'wrong use is said' '
	test_must_fail "$RUN" 2>err && grep usage err && WT_LIMIT_S=soon test_must_fail "$RUN" ./good.t 2>err &&
	grep usage err &&
	test_must_fail "$RUN" ./nothing.t 2>err && grep "nothing.t: No such file" err
'
test_expect_success 'a failed script shows what its failed tests said, and the last of all when it ended in the middle' '
	cat >shows.t <<-\EOT &&
	#!/bin/sh
	test_description=x
	. "$WT_SRCDIR/t/setup.sh"
	test_expect_success "one" "echo of the good one"
	test_expect_success "two" "echo of the bad one; false"
	test_expect_success "three" "echo of the last one"
	test_done
	EOT
	sed "s/^test_done/exit 3/; s/ false/ true/" shows.t >ends.t && chmod +x shows.t ends.t &&
	test_expect_code 1 ./shows.t >out 2>err && grep "of the bad one" err && grep "^# shows.t: test 2, " err &&
	! grep -e "of the good one" -e "of the last one" err && grep "^not ok 2 - two" out &&
	test_expect_code 1 ./ends.t >out 2>err && grep "of the last one" err && grep "ended in the middle" err
'
test_done
