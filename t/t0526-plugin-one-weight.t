#!/bin/sh
test_description='a large cluster'\''s loops made cheap (bestfit_one_weight, windtunnel_nodes.so): the same answers'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/bestfit.sh"
quick_only

# Two clusters of 96 nodes, one with all of it.  Every node is busy until the end, so that nothing starts.
wt_seed
log="$WINDTUNNEL_STATE/fast/ctld/slurmctld.log"
nodes_library="$WT_BUILDDIR/plugins/select_bestfit/.libs/windtunnel_nodes.so"
on() { name=$1; shift; SLURM_CONF=$WINDTUNNEL_STATE/$name/slurm.conf "$@"; }
both() { on plain "$@" && on fast "$@"; }
up() {
	name=$1; shift
	windtunnel cluster up "$name" --nodes 96 --topology tree.conf --quiet --set SelectTypeParameters=CR_Core_Memory \
		--set DefMemPerCPU=1000 --set "PartitionName=half Nodes=n[48-95]" \
		--set "PartitionName=alone Nodes=n[0-63] OverSubscribe=EXCLUSIVE" "$@"
}
# requests COUNT SEED: so many, one a line; some nothing can run.
requests() {
	awk -v n="$1" -v seed="$2" '
		function r(k) { return int(rand() * k) }
		BEGIN {
			srand(seed)
			split("half alone half,alone", parts, " ")
			for (i = 0; i < n; i++) {
				k = r(8)
				if (k == 0) o = "-n " (1 + r(1700))
				else if (k == 1) o = "-N " (1 + r(104))
				else if (k == 2) o = "-N " (1 + r(104)) " --exclusive"
				else if (k == 3) o = "-n " (1 + r(9)) " -c " (1 + r(18))
				else if (k == 4) o = "-N " (1 + r(4)) " --mem=" (1000 * (1 + r(120)))
				else if (k == 5) o = "-N 2 -w n" r(48) ",n" (48 + r(48))
				else if (k == 6) o = "-N " (1 + r(90)) " -x n[" r(20) "-" (21 + r(70)) "]"
				else o = "-N 2 --exclusive=user"
				print o (r(3) == 0 ? " -p " parts[1 + r(3)] : "")
			}
		}'
}
submit() {
	i=0
	while read -r line; do
		i=$((i + 1))
		# shellcheck disable=SC2086	# options
		{ on "$1" sbatch --parsable -J "$2.$i" -o /dev/null -t 5 $line --wrap "sleep 1" 2>&1 |
			sed "s/^[0-9]*$/accepted/"; } </dev/null
	done <"$2" >"$2.$1"
}
# Of a job that may wait for its turn or for nodes the reason depends on when the scheduler came last.
pending() {
	on "$1" squeue -h -t PD -o "%j|%r|%D|%C" | sed -E "s/\|(None|Priority|Resources)\|/|waits|/" | sort >"pending.$1"
}
pending_same() { pending plain && pending fast && cmp pending.plain pending.fast; }
running_are() { [ "$(on plain squeue -h -t R -o %i | wc -l) $(on fast squeue -h -t R -o %i | wc -l)" = "$1 $1" ]; }
nothing_waits() { pending_same && running_are 0 && ! grep "|waits|" pending.plain; }

test_expect_success 'a cluster of Slurm'\''s own, and one with the plugin, one weight and the preloaded library' '
	windtunnel topology generate fattree --arity 8,6,2 -o tree.conf &&
	up plain && up fast --plugin bestfit --set SchedulerParameters=bestfit=on,bestfit_one_weight=on \
		--allocator "$nodes_library" &&
	both sbatch --parsable -o /dev/null --no-requeue --array=1-96 -N 1 --exclusive --wrap "sleep 1000" &&
	wt_poll 60 running_are 96 && grep "bestfit: all nodes have one weight" "$log"
'
test_expect_success 'slurmctld has the library' '
	pid=$(jq -r ".daemons[] | select(.name == \"slurmctld\") | .pid" "$WINDTUNNEL_STATE/fast/state.json") &&
	grep windtunnel_nodes.so "/proc/$pid/maps"
'
test_expect_success 'the same requests are accepted and refused, in the same words, also while nodes are drained and down' '
	for round in 1 2 3; do
		requests 15 "$T_SEED$round" >r$round && submit plain r$round && submit fast r$round &&
		test_cmp r$round.plain r$round.fast || return 1
		both scontrol update nodename="n[$((round * 9))-$((round * 11))]" state=drain reason=t
		both scontrol update nodename="n$((round + 60))" state=down reason=t
	done && cat r?.plain >answers && grep accepted answers && grep "error:" answers
'
test_expect_success 'pending jobs have the same reasons, nodes and CPUs, and all start that Slurm starts' '
	{ wt_poll 30 pending_same || { diff pending.plain pending.fast; false; }; } &&
	both scancel -t R -u "$(id -un)" && wt_poll 90 nothing_waits
'
# Of nodes that change later slurmctld asks no more.
test_expect_success 'nodes of another weight: said once' '
	on fast scontrol update nodename="n[0-3]" weight=7 &&
	on fast sbatch -o /dev/null -N 1 --wrap true && on fast sbatch -o /dev/null -N 1 --wrap true &&
	wt_poll 20 grep "error: .*bestfit_one_weight=on: nodes are of several kinds now" "$log" &&
	[ "$(grep -c "nodes are of several kinds now" "$log")" = 1 ] && windtunnel cluster down plain &&
	windtunnel cluster down fast
'
# refused NAME OPTION...
refused() {
	name=$1; shift
	windtunnel cluster up "$name" --nodes 4 --plugin bestfit --quiet \
		--set SchedulerParameters=bestfit=on,bestfit_one_weight=on "$@" &&
	on "$name" sbatch -N 1 -o /dev/null --wrap true &&
	wt_poll 20 grep "bestfit_one_weight=on: there are several kinds" "$WINDTUNNEL_STATE/$name/ctld/slurmctld.log" &&
	! grep "all nodes have one weight" "$WINDTUNNEL_STATE/$name/ctld/slurmctld.log" && windtunnel cluster down "$name"
}
test_expect_success 'nodes that sleep, of the cluster or of a partition: one weight is refused, and said' '
	set -- --set SuspendProgram=/bin/true --set ResumeProgram=/bin/true &&
	refused two "$@" --set SuspendTime=3600 && refused part "$@" --set "PartitionName=s Nodes=ALL SuspendTime=3600"
'
# A test of a job with GPUs leaves weights in nodes, which slurmctld would not set again.
test_expect_success 'GPUs: refused' 'refused gpus --set GresTypes=gpu'
test_done
