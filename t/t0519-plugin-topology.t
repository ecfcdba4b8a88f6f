#!/bin/sh
test_description='best fit where Slurm asks the topology plugin: modes, waits, clients, and back to the stock plugins'
. "$WT_SRCDIR/t/setup.sh"

built="$WT_BUILDDIR/plugins/select_bestfit/slurm"
if ! [ -e "$built/topology_tree.so" ]; then
	skip_all='this release asks select/cons_tres (t0510 to t0517)'
	test_done
fi

# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.  bestfit_report=1: the counters are logged after each decision; they
# begin anew at each reconfiguration, for slurmctld executes itself anew.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
WT_PLUGINDIR="$WT_TMP/ours"
export WT_PLUGINDIR
in_cluster() { windtunnel cluster exec p -- "$@"; }
submit() { in_cluster sbatch --parsable --output=/dev/null --exclusive "$@" --wrap "sleep 1000"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %t)" = R ]; }
nodes_of() { in_cluster squeue -h -j "$1" -o %N; }
run_job() { job=$(submit "$@") && wt_poll 30 running "$job" && nodes_of "$job"; }
mode_set() {
	sed -i "s/bestfit=[a-z]*/bestfit=$1/" "$conf" && reconfigure &&
		wt_poll 20 eval "lately | grep -q 'bestfit: mode=$1'"
}
idle() { [ "$(in_cluster sinfo -h -t idle -o %D)" = 72 ] && [ -z "$(in_cluster squeue -h)" ]; }
clear_jobs() { in_cluster scancel -u "$(id -un)" && wt_poll 30 idle; }
restart() { wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping; }
# Free: 6, 2 and 1 nodes of three leaves below switch 0; 4, 2 and 2 of three below switch 1.
fragment() { clear_jobs && run_job -N 55 -w "n[8-11,13-35,40-41,44-47,50-71]" >/dev/null; }

test_expect_success 'a cluster with the plugin starts, and slurmctld has both of its files' '
	mkdir "$WT_PLUGINDIR" && cp -L "$built"/*.so "$WT_PLUGINDIR" &&
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 72 --topology tree.conf --plugin bestfit --quiet \
		--set SchedulerParameters=batch_sched_delay=0,bestfit=on,bestfit_report=1 &&
	grep "bestfit: version .* for Slurm 2.* loaded from" "$log" && grep "bestfit: mode=on" "$log" &&
	grep -q "$WT_PLUGINDIR/topology_tree.so" "/proc/$(cat "$WINDTUNNEL_STATE/p/ctld/slurmctld.pid")/maps"
'
test_expect_success 'they bring no library into slurmctld: they need the C library, and the ones that they stand for' '
	for name in select_cons_tres topology_tree; do
		ldd "$built/$name.so" >libraries && grep "$name.so =>" libraries &&
		! grep -v -e linux-vdso -e ld-linux -e "libc\.so" -e "libm\.so" -e "$name.so" libraries || return 1
	done
'
test_expect_success 'eight nodes: Slurm takes two switches where one would do, best fit does not' '
	mode_set off && fragment && run_job -N 8 >stock && echo "n[0-3,36-39]" >want && test_cmp want stock &&
	mode_set on && fragment && in_cluster sbatch --test-only -N 8 --exclusive --wrap true 2>plan &&
	run_job -N 8 >got && echo "n[0-7]" >want && test_cmp want got && test "$(counter chosen)" -ge 2 &&
	test "$(counter unplaced)" = 0
'
test_expect_success 'jobs that Slurm places by rules of its own are left to it, counted, and run' '
	clear_jobs && run_job -N 2 -w "n[3,50]" >got && echo "n[3,50]" >want && test_cmp want got &&
	run_job -N 3 --contiguous && run_job -N 4 --spread-job && run_job -n 1 -O &&
	for reason in required-nodes contiguous spread overcommit; do
		test "$(counter $reason)" -ge 1 || return 1
	done
'
test_expect_success 'shadow mode changes nothing and counts how the choices differ' '
	mode_set shadow && fragment && run_job -N 8 >shadow && test_cmp stock shadow && run_job -N 1 &&
	grep "bestfit: shadow: JobId=.* ours 2 1, Slurm.s 2 2: fewer" "$log" && test "$(counter shadow-fewer)" = 1
'
test_expect_success 'a job waits for one switch as long as it may, and starts at once when nobody waits any more' '
	sed -i "s/bestfit=shadow/bestfit=on,bestfit_wait=0:600/" "$conf" && reconfigure && clear_jobs &&
	run_job -N 64 -w "n[4-35,40-71]" >/dev/null && waits=$(submit -N 8) &&
	wt_poll 60 eval "lately | grep -q held-jobs=1" && ! running "$waits" &&
	wt_poll 30 eval "in_cluster squeue -h -j $waits -o %r | grep -q Resources" &&
	sed -i "s/,bestfit_wait=0:600//" "$conf" && reconfigure && wt_poll 60 running "$waits" &&
	nodes_of "$waits" >got && echo "n[0-3,36-39]" >want && test_cmp want got
'
test_expect_success 'clients of Slurm work as ever' '
	in_cluster sinfo -s | grep -q "main" && in_cluster scontrol show config | grep -q "TopologyPlugin.*topology/tree" &&
	in_cluster scontrol show topology | grep -q "SwitchName=leaf3 Level=0" && in_cluster squeue --start &&
	in_cluster scontrol show job | grep -q "JobState=RUNNING" && clear_jobs && in_cluster srun -N 2 true &&
	in_cluster sbatch --test-only -N 2 --wrap true
'
test_expect_success 'the kill switch: off by reconfigure, no decision from then on; a wrong word is off, too' '
	mode_set off && run_job -N 5 && test "$(counter decisions)" = 0 && mode_set on && run_job -N 5 &&
	test "$(counter decisions)" -ge 1 && sed -i "s/bestfit=[a-z]*/bestfit=maybe/" "$conf" &&
	reconfigure && wt_poll 20 grep "bestfit=maybe.*is not known" "$log" &&
	sed -i "s/bestfit=[a-z]*/bestfit=on/" "$conf" && reconfigure
'
test_expect_success 'slurmctld has logged no error of ours but that one' '
	grep "error: windtunnel" "$log" | grep -v "bestfit=maybe" >out || : && wt_empty out
'
test_expect_success 'without our topology_tree.so beside it all jobs are left to Slurm, and the log says why' '
	in_cluster squeue -h -o "%i %N %T" | sort >before && mv "$WT_PLUGINDIR/topology_tree.so" saved.so && restart &&
	in_cluster squeue -h -o "%i %N %T" | sort >after && test_cmp before after &&
	lately | grep "error: windtunnel bestfit: all jobs are left to Slurm: .* topology/tree is not .*/topology_tree.so" &&
	run_job -N 2 && test "$(counter decisions)" = 0 && mv saved.so "$WT_PLUGINDIR/topology_tree.so"
'
test_expect_success 'topology/block is recognised and left to Slurm' '
	clear_jobs && cp "$conf" tree.slurm.conf && file="$WINDTUNNEL_STATE/p/topology.conf" &&
	cp "$file" tree.topology.conf &&
	sed -i "s,topology/tree,topology/block," "$conf" &&
	printf "BlockName=a Nodes=n[0-35]\nBlockName=b Nodes=n[36-71]\nBlockSizes=36\n" >"$file" && restart &&
	lately | grep "bestfit: all jobs are left to Slurm: TopologyPlugin=topology/block" && run_job -N 3 &&
	test "$(counter decisions)" = 0 && clear_jobs && cp tree.slurm.conf "$conf" && cp tree.topology.conf "$file"
'
test_expect_success 'a restart without the plugin, and back, loses no job and no node' '
	restart && run_job -N 7 && in_cluster squeue -h -o "%i %N %T" | sort >before && cp "$conf" with.conf &&
	sed -i -e "/^PluginDir=/d" "$conf" && restart && in_cluster squeue -h -o "%i %N %T" | sort >without &&
	test_cmp before without && ! lately | grep "bestfit: version" && cp with.conf "$conf" && restart &&
	in_cluster squeue -h -o "%i %N %T" | sort >after && test_cmp before after && run_job -N 7 &&
	test "$(counter chosen)" -ge 1
'
test_done
