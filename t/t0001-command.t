#!/bin/sh
test_description='windtunnel: the command itself, installed and removed'
. "$WT_SRCDIR/t/setup.sh"

# The folders that say themselves what is installed and removed.  Not as part of the "make check" that may have called us.
made() {
	for folder in cmd harness/clock harness/credential harness/fence plugins/select_bestfit plugins/straggler; do
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$WT_BUILDDIR/$folder" "$1-am" DESTDIR="$WT_TMP/root" \
			>make.out 2>&1 ||
			{ cat make.out; return 1; }
	done
}

test_expect_success '--version names Slurm, too' '
	windtunnel --version >out &&
	grep -q "^windtunnel [0-9.]* (Slurm [0-9.]*)$" out
'
test_expect_success 'an output that cannot be written is no success' '
	for verb in "--version" "topology select curie --size 4" "slurm list" "straggler simulate --runs 2" \
		--help "cluster --help" "help cluster up" "workload show --help" "run --help"; do
		windtunnel $verb >/dev/null && test_expect_code 1 windtunnel $verb >/dev/full 2>err &&
		grep "standard output could not be written" err && test_line_count = 1 err || return 1
	done
'
test_expect_success '--help lists the verbs' '
	windtunnel --help >out &&
	grep -q "^  cluster " out && grep -q "^  esp " out
'
test_expect_success 'an unknown verb is refused with one line' '
	test_expect_code 2 windtunnel nonsense 2>err &&
	test_line_count = 1 err && grep -q "nonsense.*--help" err
'
test_expect_success 'make install has no libtool archives but of the library that one links; make uninstall leaves nothing' '
	made install &&
	find "$WT_TMP/root" ! -type d | sed "s,.*/,," | sort >installed && grep "^windtunnel$" installed &&
	grep "^libwtclock.so$" installed && grep "^libwtmunge.so$" installed && grep "^libwtfence.so$" installed &&
	grep "^libwtaddress.so$" installed &&
	grep "\.la$" installed >archives && echo libwtprogress.la >want && test_cmp want archives &&
	made uninstall &&
	find "$WT_TMP/root" ! -type d >left && wt_empty left
'
test_done
