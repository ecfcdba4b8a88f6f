#!/bin/sh
test_description='make check-versions: which scripts run on which release, how results are kept, judged and told'
. "$WT_SRCDIR/t/setup.sh"

# A tree of our own: scripts that print TAP, a quickstart that builds nothing, two releases beside the machine's own.
tree=$WT_TMP/tree
build=$tree/build
mkdir -p "$tree/t/versions" "$build/cmd" "$build/harness/vnode" && cp "$WT_SRCDIR/t/versions/run" "$tree/t/versions/" &&
	cp "$WT_SRCDIR/t/run-test" "$tree/t/" && echo version=22.05.8 >"$build/cmd/slurm.build" || exit 1
printf '#!/bin/sh\necho "$*" >>"%s"\ntest ! -e "%s"\n' "$WT_TMP/built" "$WT_TMP/broken" >"$tree/quickstart"
chmod +x "$tree/quickstart"
XDG_DATA_HOME=$WT_TMP/data
export XDG_DATA_HOME
for release in 23.11.11 24.11.5; do
	mkdir -p "$XDG_DATA_HOME/windtunnel/slurm/$release" "$build/slurm-$release/cmd" || exit 1
	for folder in vnode clock; do
		mkdir -p "$build/slurm-$release/harness/$folder" &&
			printf 'rpc_send state_watch waiter:\n\t@echo %s $@ >>"%s"\n' $release "$WT_TMP/helpers" \
				>"$build/slurm-$release/harness/$folder/Makefile" || exit 1
	done
	echo $release >"$XDG_DATA_HOME/windtunnel/slurm/$release/.windtunnel-slurm"
	: >"$build/slurm-$release/cmd/windtunnel"
	chmod +x "$build/slurm-$release/cmd/windtunnel"
done
: >"$build/cmd/windtunnel"
chmod +x "$build/cmd/windtunnel"
script() { cat >"$tree/t/$1"; }
script t1-good.t <<'END'
echo "${WT_SLURM:-own}" >>"$WT_SRCDIR/ran"
echo "ok 1 - first"
echo "ok 2 # skip second (missing X)"
echo "# passed all"
echo "1..2"
END
script t2-newer.t <<'END'
echo "ok 1 - first"
case $WT_SLURM in 24.*) echo "not ok 2 - second"; echo 1..2; exit 1 ;; esac
echo "ok 2 - second"
echo 1..2
END
script t3-none.t <<'END'
echo "1..0 # SKIP no such thing here"
END
printf '# comment\nt1-good.t\tquick\nt2-newer.t\nt3-none.t quick\n' >"$tree/t/versions/scripts.txt"
: >"$tree/t/versions/known.txt"
run() { "$tree/t/versions/run" --build "$build" --jobs 2 "$@" >out 2>err; }
again() { rm -f "$tree/ran" built; }

test_expect_success 'each release runs each script; one that fails on one release is named, and fails' '
	test_expect_code 1 run && cat out &&
	printf "slurm %s\n" 24.11.5 23.11.11 >want && test_cmp want "$WT_TMP/built" &&
	for r in 23.11.11 24.11.5; do printf "$r %s\n" rpc_send state_watch waiter; done >want &&
	sort "$WT_TMP/helpers" >helpers && test_cmp want helpers &&
	sort "$tree/ran" >ran && printf "%s\n" 23.11.11 24.11.5 own >want && test_cmp want ran &&
	sed -n "/^| script/,\$p" out >table && cat >want <<-\END && test_cmp want table
	| script | 22.05.8 | 24.11.5 | 23.11.11 |
	|---|---|---|---|
	| t1-good.t | pass | pass | pass |
	| t2-newer.t | pass | FAIL: second | pass |
	| t3-none.t | skip: no such thing here | skip: no such thing here | skip: no such thing here |

	check-versions: 5 passed, 1 failed, 0 failed as known, 3 skipped, 0 not run
	END
'
test_expect_success 'what has passed is not run again, what failed is; a changed script is, and so is a changed build' '
	again && test_expect_code 1 run && test ! -e "$tree/ran" && grep "^24.11.5 *t2-newer.t *FAIL" out &&
	! grep "^22" out &&
	touch -d "+2 seconds" "$tree/t/t1-good.t" && test_expect_code 1 run && test_line_count = 3 "$tree/ran" &&
	touch -d "-1 hour" "$tree/t/t1-good.t" && again && touch -d "+2 seconds" "$build/slurm-23.11.11/cmd/windtunnel" &&
	run --scripts t1 --releases 23.11.11 && echo 23.11.11 >want && test_cmp want "$tree/ran" &&
	touch -d "-1 hour" "$build/slurm-23.11.11/cmd/windtunnel" && again &&
	run --anew --marked quick --releases "24.11.5 22.05.8" &&
	test_line_count = 2 "$tree/ran" && sed -n 1p out | grep "building.* 24.11.5" && ! grep t2 out
'
test_expect_success 'a failure that is known passes with its reason; one that is known and passes does not' '
	printf "2[45][.].*\tt2-newer.t\tsecond\tit counts otherwise\n" >"$tree/t/versions/known.txt" && run && cat out &&
	grep "| t2-newer.t | pass | known: it counts otherwise | pass |" out && grep " 1 failed as known" out &&
	printf "2[345][.].*\tt2-newer.t\tsecond\tit counts otherwise\n" >"$tree/t/versions/known.txt" &&
	touch -d "+2 seconds" "$tree/t/versions/known.txt" && test_expect_code 1 run && cat out &&
	grep "| pass | known: it counts otherwise | FAIL: passes, and known.txt says that it does not: second |" out
'
test_expect_success 'another failure beside the known one, and a script that ends badly, fail' '
	script t4-odd.t <<-\END && printf "t4-odd.t\n" >>"$tree/t/versions/scripts.txt" &&
	echo "not ok 1 - first"
	echo "not ok 2 - second"
	exit 1
	END
	printf ".*\tt4-odd.t\tsecond\twhy\n" >"$tree/t/versions/known.txt" &&
	test_expect_code 1 run --scripts t4 --releases 22.05.8 && grep "| t4-odd.t | FAIL: first |" out &&
	script t4-odd.t <<-\END && test_expect_code 1 run --scripts t4 --releases 22.05.8 && cat out &&
	echo "ok 1 - first"
	exit 3
	END
	grep "| t4-odd.t | FAIL: status 3 |" out
'
test_expect_success 'a script that is not for a release is skipped, with the reason' '
	printf "2[34].*\tt4-odd.t\t*\tfor 22.05 alone\n" >"$tree/t/versions/known.txt" &&
	run --scripts t4 --releases 24.11.5 && grep "| t4-odd.t | skip: for 22.05 alone |" out
'
test_expect_success '--table runs nothing, and tells what has not run' '
	again && test_expect_code 1 run --table --anew && grep "| t1-good.t | not run | not run | not run |" out &&
	test ! -e "$tree/ran" && test ! -e built
'
test_expect_success 'wrong use: status 2' '
	test_expect_code 2 "$tree/t/versions/run" 2>err && grep "build is missing" err &&
	test_expect_code 2 run --releases 25.05.1 && grep "25.05.1 is not here (there are: 22.05.8 24.11.5 23.11.11)" err &&
	test_expect_code 2 run --frob && grep "not an option" err &&
	test_expect_code 2 run --jobs x && grep "needs a number" err &&
	test_expect_code 2 run --scripts t9 && grep "no script" err &&
	test_expect_code 2 "$tree/t/versions/run" --build "$WT_TMP" 2>err && grep "is not built" err &&
	echo "a b" >"$tree/t/versions/known.txt" && test_expect_code 2 run && grep "not four fields: a b" err &&
	: >"$tree/t/versions/known.txt" && echo t9-gone.t >>"$tree/t/versions/scripts.txt" &&
	test_expect_code 2 run && grep "t9-gone.t, which is not in t/" err && sed -i /t9/d "$tree/t/versions/scripts.txt" &&
	: >"$WT_TMP/broken" && test_expect_code 2 run && grep "does not build for Slurm 24.11.5" err && rm "$WT_TMP/broken"
'
test_expect_success 'who ends it in the middle ends all of it, and goes on later' '
	script t4-odd.t <<-\END &&
	echo $$ >"$WT_SRCDIR/pid"
	sleep 600
	END
	{ "$tree/t/versions/run" --build "$build" --scripts t4 --releases 22.05.8 >out 2>err & pid=$!; } &&
	wt_poll 60 test -s "$tree/pid" && kill $pid && { wait $pid; test $? != 0; } &&
	gone() { ! kill -0 "$(cat "$tree/pid")"; } && wt_poll 60 gone &&
	test ! -e "$build/check-versions/22.05.8/t4-odd.t.result" &&
	echo "echo ok 1 - first" | script t4-odd.t && run --scripts t4 --releases 22.05.8 && grep "| t4-odd.t | pass |" out
'
# Two releases whose slurm.h differ in what one file uses.
headers() { "$tree/t/versions/headers" --build "$build" "$@" >out 2>err; }
test_expect_success 'make check-headers: what does not compile for a release is named; nothing is kept' '
	mkdir -p "$tree/compat" "$tree/harness" "$tree/cmd" "$tree/plugins/select_bestfit" && : >"$build/config.h" &&
	cp "$WT_SRCDIR/t/versions/headers" "$tree/t/versions/" &&
	test_expect_code 2 headers && grep "no headers are here" err &&
	for release in 22.05.8 24.11.5; do
		store=$XDG_DATA_HOME/windtunnel/slurm-headers/$release &&
		mkdir -p "$store/include/slurm" "$store/src/slurm" &&
		echo "struct job { int id; int old; };" >"$store/include/slurm/slurm.h" &&
		echo $release >"$store/.windtunnel-slurm-headers" || return 1
	done &&
	echo "struct job { int id; };" >"$store/include/slurm/slurm.h" &&
	cat >"$tree/harness/good.c" <<-\END &&
	#include <slurm/slurm.h>
	int f(struct job *j);
	int f(struct job *j) { return j->id; }
	END
	headers && grep "1 files compile for Slurm 22.05.8" out && grep "1 files compile for Slurm 24.11.5" out &&
	sed "s/id/old/" "$tree/harness/good.c" >"$tree/plugins/select_bestfit/supply.c" &&
	headers && sed "s/id/old/" "$tree/harness/good.c" >"$tree/cmd/bad.c" &&
	test_expect_code 1 headers && cat out err && grep "3 files compile for Slurm 22.05.8" out &&
	grep "not all of 2 files compile for Slurm 24.11.5" out && grep "cmd/bad.c:3.*no member named" err &&
	headers 22.05.8 && ! grep 24.11 out && test ! -e "$tree/bad.o" &&
	test_expect_code 2 headers 25.05.1 && grep "no headers of Slurm 25.05.1 are here: run" err &&
	test_expect_code 2 "$tree/t/versions/headers" 2>err && grep "build is missing" err
'
test_expect_success 'the list of this tree names scripts that are there, each once' '
	grep -v "^#" "$WT_SRCDIR/t/versions/scripts.txt" | cut -f1 >names && sort -u names >sorted &&
	sort names | test_cmp sorted - &&
	(cd "$WT_SRCDIR/t" && xargs ls) <names >/dev/null && grep second "$WT_SRCDIR/t/versions/scripts.txt" &&
	! grep -v -e "^#" -e "^[^	]*	*t0[0-9]*-[a-z0-9-]*[.]t	*[^	][^	]*	*[^	]*\$" \
		"$WT_SRCDIR/t/versions/known.txt" &&
	grep -v "^#" "$WT_SRCDIR/t/versions/known.txt" | cut -f2 | sort -u | comm -23 - sorted >lost && wt_empty lost
'
test_done
