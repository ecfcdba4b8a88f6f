#!/bin/sh
test_description='submitters see the same with the plugin and without: acceptance, error, pending reason, nodes, CPUs'
. "$WT_SRCDIR/t/setup.sh"

# Two clusters of 48 nodes: 12 leaves of 4, 2 switches of 6 leaves.  In both the same happens in the same order; one has
# the plugin.
# Every node has a job of its own until the end, so that nothing starts: what a pending job says does not depend on the time.
rounds=${WT_ROUNDS:-7}
each=${WT_EACH:-9}
wt_seed
log="$WINDTUNNEL_STATE/bestfit/ctld/slurmctld.log"
. "$WT_SRCDIR/t/bestfit.sh"
conf_of() { echo "$WINDTUNNEL_STATE/$1/slurm.conf"; }
# on NAME COMMAND...
on() { name=$1; shift; SLURM_CONF=$WINDTUNNEL_STATE/$name/slurm.conf "$@"; }

cluster_start() {
	name=$1; shift
	windtunnel cluster up "$name" --nodes 48 --topology tree.conf --conf both.conf --quiet \
		--set "PartitionName=half Nodes=n[24-47]" --set "PartitionName=small Nodes=ALL MaxNodes=3 MaxTime=10" \
		--set "PartitionName=alone Nodes=n[0-31] OverSubscribe=EXCLUSIVE" \
		--set "PartitionName=shut Nodes=ALL State=DOWN" \
		--set "PartitionName=twice Nodes=n[8-39] OverSubscribe=YES:2" \
		--set "PartitionName=few Nodes=n[0-7] MaxCPUsPerNode=4" "$@"
}
# requests COUNT SEED: so many, one a line, the same for the same seed; some nothing can run.
requests() {
	awk -v n="$1" -v seed="$2" '
		function r(k) { return int(rand() * k) }
		BEGIN {
			srand(seed)
			kinds = split("half small alone twice few shut half,small", parts, " ")
			for (i = 0; i < n; i++) {
				k = r(28)
				part = r(3) == 0 ? " -p " parts[1 + r(kinds)] : ""
				if (k == 0) o = "-n " (1 + r(900))
				else if (k == 1) o = "-N " (1 + r(50))
				else if (k == 2) o = "-N " (1 + r(52)) " --exclusive"
				else if (k == 3) o = "-n " (1 + r(9)) " -c " (1 + r(18))
				else if (k == 4) o = "-n " (1 + r(20)) " --mem-per-cpu=" (1000 * (1 + r(80)))
				else if (k == 5) o = "-N " (1 + r(4)) " --mem=" (1000 * (1 + r(120)))
				else if (k == 6) o = "-N 2 --ntasks-per-node=" (1 + r(18))
				else if (k == 7) o = "-N " (1 + r(4)) "-" (4 + r(6)) " -n " (1 + r(30))
				else if (k == 8) o = "-N 2 -w n" r(24) ",n" (24 + r(24))
				else if (k == 9) o = "-N " (1 + r(6)) " -x n[" r(20) "-" (21 + r(26)) "]"
				else if (k == 10) o = "-n " (1 + r(8)) " --hint=nomultithread"
				else if (k == 11) o = "-N 1 -n " (14 + r(6))
				else if (k == 12) o = "-N 1 --sockets-per-node=" (1 + r(3)) \
			" --cores-per-socket=" (1 + r(10))
				else if (k == 13) o = "-N " (1 + r(9)) " --contiguous"
				else if (k == 14) o = "-N " (1 + r(9)) " -C fast"
				else if (k == 15) o = "-N " (1 + r(30)) " -C fast|slow"
				else if (k == 16) o = "-N 3 -C [fast|slow]"
				else if (k == 17) o = "-N 3 -C fast*" (1 + r(14))
				else if (k == 18) o = "-N 2 -C nothing"
				else if (k == 19) o = "-N " (1 + r(12)) " --switches=" (1 + r(2)) "@00:03"
				else if (k == 20) o = "-n 4 -O"
				else if (k == 21) o = "-N 2 --exclusive=user"
				else if (k == 22) o = "-N " (1 + r(4)) " --spread-job"
				else if (k == 23) o = "-n 2 --mincpus=" (1 + r(20))
				else if (k == 24) o = "-N 2 --tmp=" r(3) "G"
				else if (k == 25) o = "-N " (1 + r(9)) " --reservation=r"
				else if (k == 26) o = "-N 2 --hold"
				else o = "-N 2 --begin=now+1hour"
				print o part " -t " (1 + r(14))
			}
		}'
}
# submit NAME FILE: all requests of the file to that cluster; what sbatch says of each, without the job's number.
submit() {
	i=0
	while read -r line; do
		i=$((i + 1))
		# shellcheck disable=SC2086	# options
		{ on "$1" sbatch --parsable -J "$2.$i" -o /dev/null $line --wrap "sleep 1" 2>&1 |
			sed 's/^[0-9]*$/accepted/'; } </dev/null
	done <"$2" >"$2.$1"
}
both() { on stock "$@" 2>stock.err; on bestfit "$@" 2>bestfit.err; test_cmp stock.err bestfit.err; }
# What happens between the rounds.  Nothing of it leaves a node without a job.
disturb() {
	case $(($1 % 7)) in
	0) both scontrol update nodename="n[5-9]" state=drain reason=t ;;
	1)
		both scontrol create reservation reservationname=r starttime=now duration=600 nodes="n[20-27]" users=root \
			flags=ignore_jobs ;;
	2) both scontrol update nodename="n[0-11]" weight=7 ;;
	3) both scontrol update nodename="n[44-47]" state=down reason=t ;;
	4) both scontrol update nodename="n[5-9]" state=resume && both scontrol update partitionname=half nodes="n[30-47]" ;;
	5) both scontrol reconfigure ;;
	6) both scontrol update partitionname=small maxnodes=5 && both scontrol update nodename="n[0-11]" weight=1 ;;
	esac
}
# Name, reason, nodes and CPUs of the pending jobs.  Whether a job has seen that others are before it (Priority) or that
# nodes are busy (Resources) depends on when the scheduler came last.
pending() {
	on "$1" squeue -h -t PD -o "%j|%r|%D|%C" | sed -E 's/\|(None|Priority|Resources)\|/|waits|/' | sort >"pending.$1"
}
pending_same() { pending stock && pending bestfit && cmp pending.stock pending.bestfit; }
running_are() {
	[ "$(on stock squeue -h -t R -o %i | wc -l)" = "$1" ] && [ "$(on bestfit squeue -h -t R -o %i | wc -l)" = "$1" ]
}
nothing_runs() { running_are 0 && pending_same && ! grep "|waits|" pending.stock; }

# What Slurm's commands print of all but jobs.  Of the configuration only the keys: names, ports and folders are each
# cluster's own.
commands() {
	on "$1" sinfo -N -h -o "%N %P %t %c %m %f %w" && on "$1" sinfo -R -h -o "%E %N" &&
		on "$1" scontrol -o show partition &&
	on "$1" scontrol show topology && on "$1" scontrol show config | sed -n 's/ *=.*//p' &&
	on "$1" sdiag >sdiag.out && grep -c "Backfilling stats" sdiag.out &&
	on "$1" scontrol -o show node |
		sed -E 's/ (Port|NodeAddr|BcastAddr|CPULoad|FreeMem|[A-Za-z]*Time|CfgTRES|Reason)=[^ ]*( \[[^]]*\])?//g' &&
	on "$1" scontrol -o show reservation | sed -E 's/ (Start|End)Time=[^ ]*//g' && on "$1" scontrol show licenses
}
commands_same() { commands stock | sort >stock.out && commands bestfit | sort >bestfit.out && cmp stock.out bestfit.out; }

test_expect_success 'two clusters, one with the plugin, with a job on every node' '
	windtunnel topology generate fattree --arity 4,6,2 -o tree.conf &&
	cat >both.conf <<-END &&
	SelectTypeParameters=CR_Core_Memory
	DefMemPerCPU=1000
	ReturnToService=1
	SchedulerParameters=bestfit=on,bf_interval=2,sched_interval=2
	END
	cluster_start stock && cluster_start bestfit --plugin bestfit && grep "bestfit: mode=on" "$log" &&
	both scontrol update nodename="n[4-15]" availablefeatures=fast activefeatures=fast &&
	both scontrol update nodename="n[24-39]" availablefeatures=slow activefeatures=slow &&
	both sbatch --parsable -o /dev/null --no-requeue --array=1-48 -N 1 --exclusive --wrap "sleep 1000" &&
	wt_poll 60 running_are 48
'
test_expect_success "$rounds rounds of random and impossible requests: the same accepted and refused, in the same words" '
	round=0 &&
	while [ $round -lt "$rounds" ]; do
		requests "$each" "$T_SEED$round" >r$round && { submit stock r$round & } && submit bestfit r$round &&
		wait $! &&
		test_cmp r$round.stock r$round.bestfit && disturb $round && round=$((round + 1)) || return 1
	done && cat r*.stock >answers && grep accepted answers && grep "error:" answers
'
test_expect_success 'pending jobs have the same reasons, numbers of nodes and numbers of CPUs' '
	wt_poll 30 pending_same || { diff pending.stock pending.bestfit; false; } &&
	cut -d"|" -f2 pending.stock | sort | uniq -c && grep "|waits|" pending.stock
'
test_expect_success 'Slurm'\''s commands print the same, and take the same: salloc, srun, scontrol, sbatch --test-only' '
	wt_poll 20 commands_same || { diff stock.out bestfit.out; false; } && test_line_count -gt 150 stock.out &&
	for name in stock bestfit; do
		{ on $name salloc --immediate -N 2 true; on $name srun --immediate -N 2 true
			on $name sbatch --test-only -N 60 --wrap true
		  on $name scontrol update jobid=4711 priority=1; on $name scancel 4711; } 2>&1 |
		  	grep -v "has been revoked" | sed "s/[0-9][0-9]*/N/g" | sort >$name.said || return 1
	done; test_cmp stock.said bestfit.said && test_line_count -ge 4 stock.said
'
test_expect_success 'no job is refused for ever: with free nodes all start that Slurm itself starts' '
	grep -c "|waits|" pending.stock && both scontrol update reservationname=r duration=1 &&
	both scontrol update nodename="n[44-47]" state=resume &&
	both scontrol reconfigure && both scancel -t R -u "$(id -un)" &&
	wt_poll 90 nothing_runs || { diff pending.stock pending.bestfit; head -n 20 pending.stock; false; }
'
test_expect_success QUICK 'the plugin has answered from memory, from few nodes or from counts' '
	on bestfit scontrol reconfigure && wt_poll 20 grep "quick: test-only" "$log" &&
	grep "quick: test-only" "$log" | tail -n 1 | grep " \(cached\|proven\|small\)=[1-9]"
'
test_expect_success 'the plugin has logged no error' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
