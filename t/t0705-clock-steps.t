#!/bin/sh
test_description='virtual time, charge none: scripts with srun lines are the same to the last byte, beside busy loops, too'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
cat >job.sh <<-'END2' && chmod 755 job.sh
	#!/bin/sh
	for n in 0 1; do srun -N1 -n1 -r $n sleep 40 & done
	wait
	srun sleep 25
	srun -N1 -n1 sleep 10
END2
# Twelve jobs for a machine that has room for four at a time.
cat >drive.sh <<-'END2'
	sleep 100
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sbatch -o /dev/null -N2 job.sh || exit; sleep 3; done
	until queue=$(squeue -h) && [ -z "$queue" ]; do sleep 20; done
	sleep 60
	scontrol -o show job | tr " " "\n" | grep -E "^(JobId|JobState|NodeList|RunTime|ExitCode)=" >"$1.jobs"
END2
# Times since the first start.
lived() {
	windtunnel cluster up "$1" --nodes 8 --clock virtual --charge none -q --set DebugFlags=Steps \
		--set SlurmctldDebug=verbose &&
	windtunnel cluster exec --drive "$1" -- sh drive.sh "$1" &&
	awk -F, -v OFS=, 'NR > 1 { b = b ? b : $1; $1 = sprintf("%.6f", $1 - b); print }' \
		"$WINDTUNNEL_STATE/$1/nodes/events.csv" >"$1.events" &&
	sed -n "s/.*step_create[a-z_]*: \(JobId=[0-9]* StepId=[0-9]* [^ ]*\) usec.*/\1/p" \
		"$WINDTUNNEL_STATE/$1/ctld/slurmctld.log" >"$1.steps" && windtunnel cluster down "$1"
}
same() { for what in events jobs steps; do test_cmp "a.$what" "$1.$what" || return 1; done; }

test_expect_success 'a run: all jobs end well, each has four steps' '
	lived a && test "$(grep -c JobState=COMPLETED a.jobs)" = 12 && test_line_count = 48 a.steps &&
	test "$(grep -c ,end, a.events)" = 12
'
test_expect_success 'the same once more, and once more' '
	lived b && same b && lived c && same c
'
test_expect_success 'the same beside two busy loops' '
	for i in 1 2; do timeout 600 sh -c "while :; do :; done" & loops="$loops $!"; done && cleanup "kill $loops" &&
	{ rc=0; lived d || rc=1; } && kill $loops && test $rc = 0 && same d
'
test_done
