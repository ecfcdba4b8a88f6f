#!/bin/sh
test_description='client actions on 16 real and 16 virtual nodes: what slurmctld and its clients see is the same'
. "$WT_SRCDIR/t/setup.sh"

CONF=$(cd "$WT_SRCDIR/t/conformance" && pwd)
KNOWN=$WT_SRCDIR/t/data/conformance-known.txt
RELEASE=$(slurmctld -V | sed "s/.* //")
WATCH=$WT_BUILDDIR/harness/vnode/state_watch
TASK=$CONF/task.sh
export CONF TASK
test -x "$WATCH" || { echo "Bail out! $WATCH is not built: 'make check', or 'make check-versions', does it"; exit 1; }

# An end in the middle leaves them to us.
cleanup '>"$WT_TMP/over"; kill $(cat "$WT_TMP"/*/watch.pid)'

# Both see the same environment; no dumps of core, which only real tasks could write.
up() {	# up BACKEND
	set -- "$1"
	for i in 0 1 2 3 4 5 6 7; do
		set -- "$@" --set "PartitionName=l$i Nodes=n[$((2 * i))-$((2 * i + 1))]"
	done
	(ulimit -c 0
	windtunnel cluster up --nodes 16 --backend "$@" -q --shape "pack:1 core:4 pu:1" --memory 4000 \
		--set SlurmctldDebug=debug2 \
		--set DebugFlags=TraceJobs,Steps --set KillWait=5 --set PrologFlags=Alloc --set AuthInfo+=cred_expire=12 \
		--set ReturnToService=1 --set SchedulerParameters=bf_interval=1,sched_interval=1 --set GresTypes=fpga \
		--set NodeName+=Gres=fpga:2 --set SelectTypeParameters=CR_Core_Memory \
		--set PreemptType=preempt/partition_prio \
		--set PreemptMode=REQUEUE --set "PartitionName=high Nodes=ALL PriorityTier=10" --set DefMemPerNode=100 "$1")
}
act() (	# act BACKEND: in a shell of its own
	B=$1 D=$WINDTUNNEL_STATE/$1 R=$WT_TMP/$1
	mkdir "$R" && : >"$R/commands" && SLURM_CONF=$D/slurm.conf && export SLURM_CONF
	. "$CONF/lane.sh"
	. "$CONF/actions.sh"
	"$WATCH" >"$R/watch" 2>"$R/watch.err" & watch=$!
	echo $watch >"$R/watch.pid"
	till grep -q "^ready" "$R/watch"
	lanes=
	. "$CONF/lanes.sh"
	sleep 0.2
	kill $watch
	perl "$CONF/normalise.pl" "$R" "$D/ctld/slurmctld.log" >"$R.norm"
)

up_both() { up slurmd & real=$! && up virtual && wait $real; }
act_both() { { act slurmd & } && real=$! && act virtual && wait $real; }
down_both() { windtunnel cluster down slurmd && windtunnel cluster down virtual; }
differences() {	# differences FILE
	perl "$CONF/compare.pl" "$KNOWN" "$RELEASE" "$WT_TMP/slurmd.norm" "$WT_TMP/virtual.norm" >"$1" || {
		test -z "$WT_CONFORMANCE_KEEP" ||
			cp -r "$WT_TMP"/*.norm "$WT_TMP/slurmd" "$WT_TMP/virtual" "$WT_CONFORMANCE_KEEP"
		false
	}
}
test_expect_success 'two clusters of 16 nodes' '
	up_both
'
test "$test_failure" = 0 || test_done
test_expect_success 'the actions, on both at the same time' '
	act_both &&
	test_line_count -gt 100 "$WT_TMP/slurmd.norm" && test_line_count -gt 100 "$WT_TMP/virtual.norm"
'
test_expect_success 'every action ran on both' '
	sed -n "s/^do_\([a-z_]*\)() {.*/\1/p" "$CONF/actions.sh" | sort >want && test_line_count -gt 30 want &&
	for b in slurmd virtual; do
		sed -n "s/\tran\$//p" "$WT_TMP/$b.norm" | sort >ran && test_cmp want ran || return 1
	done
'
test_expect_success 'what they led to is the same, but for the known differences' '
	differences first || { cat first; false; }
'
test_expect_success 'the documentation has the same list' '
	perl "$CONF/compare.pl" --table "$KNOWN" >table && test_line_count -gt 3 table &&
	sed -n "/^| actions |/,/^\$/p" "$WT_SRCDIR/doc/fidelity.md" | sed "/^\$/d" >documented && test_cmp table documented
'
test_expect_success 'a comparison that finds a difference fails' '
	sed "/\tjob a: last/d" "$WT_TMP/virtual.norm" >other &&
	test_expect_code 1 perl "$CONF/compare.pl" "$KNOWN" "$RELEASE" "$WT_TMP/slurmd.norm" other >out &&
	grep "only real: batch: job a: last" out &&
	{ cat "$KNOWN" && printf "release 20.11 21.08\nreal\talways\tbatch\tjob a: last.*\tof another release\n"; } >known &&
	for release in "$RELEASE" 21.08.8; do
		test_expect_code 1 perl "$CONF/compare.pl" known $release "$WT_TMP/slurmd.norm" other >out.$release ||
			return 1
	done &&
	test_cmp out "out.$RELEASE" && grep "only real: exit_code: job a: last" out.21.08.8 &&
	! grep "only real: batch: job a: last" out.21.08.8
'
test_expect_success 'the clusters end' '
	down_both
'
test_done
