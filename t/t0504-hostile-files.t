#!/bin/sh
test_description='topology and compare read what anybody made: clear errors, no end by a signal, nobody is waited for'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT COMMAND...: status 1 or 2 soon, nothing on stdout, one short line that says TEXT, without control characters.
refused() {
	text=$1
	shift
	rc=0 && timeout 120 windtunnel "$@" >out 2>err </dev/null || rc=$?
	{ test $rc = 1 || test $rc = 2; } && test_line_count = 0 out && grep -q -e "$text" err &&
		test_line_count -le 3 err && test "$(wc -c <err)" -lt 4096 && ! LC_ALL=C grep -q "[[:cntrl:]]" err ||
		{ echo "rc $rc: $*"; cat -v err; false; }
}
topologies() {
	long=$(head -c 65536 /dev/zero | tr '\0' n) &&
	printf 'SwitchName=s\033[31m\007 Nodes=n[0-3]\n' >control && echo "SwitchName=$long Nodes=n[0-3]" >long &&
	echo "SwitchName=s Nodes=$long" >long-node &&
	printf 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n' >cycle && echo 'SwitchName=a Switches=a' >self &&
	{ printf 'SwitchName=r Switches=a,l\nSwitchName=l Nodes=n0\n' && cat cycle; } >below &&
	echo 'SwitchName=s Nodes=n[-3--1]' >negative && echo 'SwitchName=s Nodes=n[0-4294967295]' >many &&
	echo 'SwitchName=s Nodes=n[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]' >product &&
	echo 'SwitchName=a Nodes=n[0-3] LinkSpeed=-1' >speed && printf 'SwitchName=s Nodes=n0\0n1\n' >nul &&
	awk 'BEGIN { print "SwitchName=s0 Nodes=n0"
		for (i = 1; i < 50000; i++) print "SwitchName=s" i " Switches=s" i - 1 }' >deep &&
	perl -e 'srand 1; print map chr int rand 256, 1 .. 100000' >random && : >empty && mkdir folder &&
	printf 'SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=r Switches=a,b\n' >good
}
test_expect_success 'trees: control characters, 64 KiB names, cycles, negative and endless numbers, folders, devices' '
	topologies && windtunnel topology show good >out &&
	for verb in show "select --size 2" simulate; do
		for bad in "one plain name:control" "switch .nnn:long" "a name of more:long-node" "form a loop:cycle" \
			"its own child:self" "already has a parent\|loop:below" "a number is missing:negative" \
			"too many names:many" "too many names:product" "LinkSpeed=-1 is not:speed" "no name may have:nul" \
			"levels of switches:deep" "random: :random" "no switch is defined:empty" "Is a directory:folder" \
			"File too large:/dev/zero" "no switch is defined:/dev/null" "No such file:none"; do
			refused "${bad%:*}" topology $verb "${bad##*:}" || return 1
		done || return 1
	done
'
test_expect_success 'a run to spoil' '
	windtunnel run --workload burst --jobs 4 --run-time 0.2 --nodes 4 --repeat 2 --quiet --output a >out 2>err &&
	windtunnel compare a/1 a/2 >out && cp good a/1/topology.conf && windtunnel topology score a/1 >out
'
# spoiled FILE KIND: folder x is the run, with that file as it should not be.
spoiled() {
	rm -rf x && cp -r a/1 x && rm -f "x/$1" && case $2 in
	fifo) mkfifo "x/$1" ;;
	device) ln -s /dev/zero "x/$1" ;;
	folder) mkdir "x/$1" ;;
	long) { cat "a/1/$1" && head -c 65536 /dev/zero | tr "\0" x && echo; } >"x/$1" ;;
	control) sed "s/burst/\\o033[31m/; 2s/^/\\o033/" "a/1/$1" >"x/$1" ;;
	negative) sed "s/\\([ ,:]\\)\\([0-9]\\)/\\1-\\2/g" "a/1/$1" >"x/$1" ;;
	esac
}
test_expect_success 'compare: what is no regular file, no JSON or no number of a run in summary.json and scenario.json' '
	for file in summary.json scenario.json; do
		for kind in fifo device folder long control; do
			spoiled $file $kind && refused "x/$file" compare x a/2 && refused "x/$file" compare a/2 x || return 1
		done || return 1
	done &&
	spoiled summary.json negative && refused "are of no run" compare x x
'
test_expect_success 'score: the same in each file of a run' '
	for file in summary.json jobs.csv events.csv logs/slurmctld.log; do
		for kind in fifo device folder; do
			spoiled $file $kind && refused "x/$file: is not a regular file" topology score x || return 1
		done || return 1
	done &&
	for file in summary.json jobs.csv events.csv; do
		for kind in long control negative; do
			spoiled $file $kind && refused "x/$file" topology score x || return 1
		done || return 1
	done
'
test_expect_success 'show --run: a trace whose line never ends, within 500 MB' '
	({ grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile" || ulimit -v 500000; } &&
		refused "/dev/zero:1: File too large" topology show good --run /dev/zero) &&
	refused "random:" topology show good --run random
'
test_done
