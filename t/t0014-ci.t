#!/bin/sh
test_description='.ci/run: what it says and how it ends, with and without the source of a second release'
. "$WT_SRCDIR/t/setup.sh"

# A tree whose commands tell that they were called, and fail as $FAIL says: "COMMAND STATUS" lines, COMMAND a pattern.
tree=$WT_TMP/tree
mkdir -p "$tree/.ci" "$tree/config" "$tree/build" "$WT_TMP/bin" && cp "$WT_SRCDIR/.ci/run" "$tree/.ci/" || exit 1
cat >"$WT_TMP/called" <<'END'
#!/bin/sh
line="${0##*/} $*"
echo "$line ${CFLAGS+CFLAGS=$CFLAGS}" >>"$CALLS"
case ${0##*/}$XDG_DATA_HOME in slurm-build) echo "slurm-build: not in a store of CI's own"; exit 9 ;; esac
while read -r pattern status; do
	case $line in $pattern) echo "words of $line"; exit "$status" ;; esac
done <"$FAIL"
END
chmod +x "$WT_TMP/called" && ln -s "$WT_TMP/called" "$tree/quickstart" &&
	ln -s "$WT_TMP/called" "$tree/config/slurm-build" && ln -s "$WT_TMP/called" "$WT_TMP/bin/make" || exit 1
CALLS=$WT_TMP/calls FAIL=$WT_TMP/fail XDG_CACHE_HOME=$WT_TMP/cache PATH=$WT_TMP/bin:$PATH
export CALLS FAIL XDG_CACHE_HOME
unset CFLAGS
ci() { rm -f "$CALLS" && "$tree/.ci/run" >out 2>&1; }
called() { grep "^$1" "$CALLS"; }

test_expect_success 'all is there: each step is done, and its time told' '
	: >"$FAIL" && ci && cat out "$CALLS" && sed -n 1p "$CALLS" | grep "quickstart build" &&
	called "make .* check-asan" && called "make .* fuzz" && called "quickstart check" &&
	called "slurm-build 24.* CFLAGS=-O0" && called "quickstart slurm 24[^ ]* \$" &&
	called "make .* check-versions .*--releases 24.*--marked second" &&
	grep "^ci: .make .*check-versions.* took [0-9]* s$" out && ! grep "NOT DONE" out
'
test_expect_success 'a source that cannot be had is told in the last line, and the rest is done' '
	echo "slurm-build*24* 3" >"$FAIL" && ci && cat out && called "quickstart check" &&
	! called "quickstart slurm" && ! called "make .*check-versions" && grep "^words of slurm-build" out &&
	sed -n "\$p" out | grep "^ci: NOT DONE: no script ran on Slurm 24"
'
test_expect_success 'a Slurm, a Windtunnel or a script that fails there fails' '
	for pattern in "slurm-build*" "quickstart?slurm*" "make*check-versions*"; do
		echo "$pattern 1" >"$FAIL" && test_expect_code 1 ci && cat out && grep "^words of" out || return 1
	done
'
test_expect_success 'so does each step of this release, and none is done after it' '
	echo "make*analyse 2" >"$FAIL" && test_expect_code 2 ci && ! called "make .* fuzz" && ! called "quickstart slurm"
'
test_done
