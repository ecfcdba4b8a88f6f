#!/bin/sh
test_description='t/run-scripts: a script that fails has a second try, and is named'
. "$WT_SRCDIR/t/setup.sh"

SCRIPTS=$(cd "$WT_SRCDIR/t" && pwd)/run-scripts
# script NAME LINE: an executable script
script() {
	printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"
}
run() { (unset WT_KEEP; export PROVE_FLAGS WT_LIMIT_S; exec "$SCRIPTS" "$WT_TMP/said" "$@") >out 2>err; }

test_expect_success 'scripts for it' '
	cd "$WT_TMP" &&
	script good.t "echo ok 1 - fine; echo 1..1" &&
	script once.t "echo why it failed >&2; test -e been && { echo ok 1; echo 1..1; exit; }; touch been; echo not ok 1 - one; echo 1..1; exit 1" &&
	script never.t "echo not ok 1 - ever; echo 1..1; exit 1" &&
	script silent.t "exit 0" &&
	script long.t "sleep 600"
'
test_expect_success 'what passes runs once' '
	run ./good.t && ! grep -q "once more" out && test ! -e said/second/good.t.out
'
test_expect_success 'a second try that passes counts; it is named with what the first one said' '
	PROVE_FLAGS=-j2 run ./good.t ./once.t && grep "FLAKY: once.t" out && grep "^  not ok 1 - one" out && grep "^  why it failed" out &&
	test ! -e said/second/good.t.out && ! grep "TWICE" out
'
test_expect_success 'a second failure counts' '
	rm been && test_expect_code 1 run ./never.t ./once.t ./good.t && grep "FAILED TWICE: never.t" out && grep "FLAKY: once.t" out
'
test_expect_success 'no plan is a failure, whatever the exit status' '
	rm been && test_expect_code 1 run ./silent.t ./once.t && grep "FAILED TWICE: silent.t" out && grep "FLAKY: once.t" out
'
test_expect_success 'a script that hangs is ended' '
	WT_LIMIT_S=1 test_expect_code 1 run ./long.t && grep "FAILED TWICE: long.t" out && grep "long.t: was ended after 1 s" out
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
