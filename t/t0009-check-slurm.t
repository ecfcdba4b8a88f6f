#!/bin/sh
test_description='make check-slurm: how the results of tests on virtual and on real nodes are had, kept and compared'
. "$WT_SRCDIR/t/setup.sh"

# Tests of our own, in place of the suite's; they are run by sh instead of expect.  Not in /tmp, which each of them has
# for itself.
case $WT_BUILDDIR in /tmp/*) skip_all="the build folder lies in /tmp"; test_done ;; esac
if ! { test "$(id -u)" = 0 && unshare --mount --pid --net --ipc --fork --mount-proc true; }; then
	skip_all='no namespaces here'
	test_done
fi
work=$(mktemp -d "$WT_BUILDDIR/t/slurm.XXXXXX") || exit 1
cleanup 'rm -rf "$work"'
suite=$work/source/testsuite/expect
mkdir -p "$suite" "$work/bin" && cp "$WT_SRCDIR/t/slurm-testsuite/run" "$work/" &&
	printf '#!/bin/sh\nexec sh "$@"\n' >"$work/bin/expect" &&
	chmod +x "$work/bin/expect" && : >"$suite/globals" && : >"$work/known.txt" || exit 1
make_test() { cat >"$suite/test$1"; }
make_test 1.1 <<'END'
test "$(srun -N2 true; echo $?)" = 0 &&
	test "$(sinfo -h -t idle,mix,alloc,comp -o %D | paste -sd+ | bc 2>/dev/null || echo 8)" = 8
END
make_test 1.2 <<'END'
srun hostname | grep .	# a virtual task prints nothing
END
make_test 1.10 <<'END'
exit 255
END
make_test 2.1 <<'END'
sleep 600
END
make_test 2.2 <<'END'
ls /tmp >seen
	test -e globals && test -e /tmp/state/t/slurm.conf &&
		! ps ax | grep -q "[t]0009-check-slurm" && echo more >globals.own
END
# As the libraries and daemons of this build folder, in a copy where each of the tests may look.
PATH=$work/bin:$PATH
mkdir "$work/libexec" && wt_programs | xargs -d "\n" cp -t "$work/libexec" && WT_LIBEXECDIR=$work/libexec || exit 1
run() { "$work/run" --source "$work/source" --output "$work/out" --jobs 2 "$@"; }

test_expect_success 'a difference that nobody knows fails, and is named' '
	test_expect_code 1 run --tests "1." >out && cat out && grep "^1.1 virtual passed" out &&
	grep "^1.1 slurmd passed" out &&
	grep "NOT KNOWN: test1.2: failed on virtual nodes, passed on real ones" out && grep "^1.10 slurmd skipped" out &&
	grep "3 tests ran on both:" out && grep "1 skipped on both" out && test_line_count = 6 "$work/out/results"
'
test_expect_success 'what has run is not run again; a difference that is known passes, and is told' '
	printf "# why\n1.2\talways\tfailed passed\tvirtual tasks print nothing\n" >"$work/known.txt" &&
	run --tests "1." >out && test_line_count = 1 out && test_line_count = 6 "$work/out/results" &&
	run --tests "1.2" --table >out && grep "^| 1.2 | failed | passed | virtual tasks print nothing |" out &&
	! grep "1.10" out
'
test_expect_success 'another difference than the known one fails' '
	printf "1.2\tsometimes\tskipped passed\twhy\n" >"$work/known.txt" && test_expect_code 1 run --tests "1.2" >out &&
	grep "NOT KNOWN: test1.2" out
'
test_expect_success 'what does not differ any more is told; it may be chance' '
	printf "1.1\talways\tfailed passed\twhy\n" >"$work/known.txt" && run --tests "1.1" >out &&
	grep "known.txt has test1.1, which did not differ" out
'
test_expect_success 'a list that is broken is said' '
	echo "1.1 always" >"$work/known.txt" && test_expect_code 2 run --tests "1.1" 2>err &&
	grep "known.txt: not four fields: 1.1 always" err &&
	: >"$work/known.txt"
'
test_expect_success 'a test that hangs is ended, on both; --anew runs it again' '
	run --tests 2.1 --limit 1 >out && grep "^2.1 virtual late" out && grep "1 late on both" out &&
	run --tests 2.1 --limit 1 --anew >out &&
	grep "^2.1 slurmd late" out && test_line_count = 8 "$work/out/results"
'
test_expect_success 'each has its folder, /tmp and processes for itself; nothing is left' '
	run --tests 2.2 >out && grep "1 passed on both" out && test ! -e "$suite/seen" && test ! -e "$suite/globals.own" &&
	test ! -e /tmp/state/t &&
	test -z "$(find "$work/out" -name "*.tmp")"
'
test_expect_success 'who ends it in the middle ends all of it, and goes on later' '
	{ "$work/run" --source "$work/source" --output "$work/out" --tests 2.1 --anew >out & pid=$!; } &&
	wt_poll 60 test -s "$work/out/slurmd/2.1.tmp/state/t/cluster.json" &&
	uuid=$(jq -r .uuid "$work/out/slurmd/2.1.tmp/state/t/cluster.json") && kill $pid && ! wait $pid &&
	ended() { ! grep -ls "WINDTUNNEL_CLUSTER=$uuid" /proc/[0-9]*/environ; } && wt_poll 20 ended &&
	! grep "^2.1" "$work/out/results" &&
	run --tests 2.1 --limit 1 >out && grep "1 late on both" out
'
test_expect_success 'mistakes are said; without expect it is skipped in one line' '
	test_expect_code 2 run --tests 77.1 2>err && grep "no test is called .77.1" err &&
	test_expect_code 2 run --jobs many 2>err && grep "needs a number" err &&
	test_expect_code 2 "$work/run" --output x --source /nonexistent 2>err && grep "/nonexistent" err &&
	test_expect_code 2 run --frob 2>err &&
	rm "$work/bin/expect" && mkdir "$work/few" &&
	for program in sh dirname pwd windtunnel cat grep awk sed id unshare nproc; do
		ln -s "$(command -v $program)" "$work/few/" || return 1
	done && (PATH=$work/few && export PATH && run >out) && grep "^check-slurm: skipped: expect is missing" out &&
	test_line_count = 1 out
'
test_done
