#!/bin/sh
test_description='best fit inside slurmctld: upgrade and removal while jobs run; uneven, partial and no trees'
. "$WT_SRCDIR/t/setup.sh"

# 24 nodes: leaves a (n0-7) and b (n8-11) below s, leaves w0 (n12-13) and w1 (n14-19) right below the root; n20-23 below
# no switch.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
built="$WT_BUILDDIR/plugins/select_bestfit/slurm"
WT_PLUGINDIR="$WT_TMP/ours"
export WT_PLUGINDIR
in_cluster() { windtunnel cluster exec p -- "$@"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %t)" = R ]; }
# place WHO OPTIONS...: run a job; its nodes.  WHO decided: "chosen", or the reason why Slurm did.
place() {
	who=$1 && shift && who_before=$(counter "$who") &&
	job=$(in_cluster sbatch --parsable --output=/dev/null "$@" --wrap "sleep 1000") &&
	wt_poll 60 running "$job" || return
	[ "$(counter "$who")" -gt "$who_before" ] || { echo "$* was not: $who"; counters; return 1; }
	in_cluster squeue -h -j "$job" -o %N
}
# place_on WANT WHO OPTIONS...
place_on() {
	want=$1 && shift && got=$(place "$@") || { echo "$got"; return 1; }
	[ "$got" = "$want" ] || { echo "on $got, wanted $want"; return 1; }
}
idle() { [ "$(in_cluster sinfo -h -p main -t idle -o %D)" = 24 ] && [ -z "$(in_cluster squeue -h)" ]; }
clear_jobs() { in_cluster scancel -u "$(id -un)" && wt_poll 60 idle; }
jobs_show() { in_cluster squeue -h -o "%i %N %T" | sort; }
loaded() { lately | grep "bestfit: version"; }
# A file takes an old one's name, as when a package is installed: slurmctld may have the old one.
install_from() {	# install_from FOLDER: those files that we have for the release
	for file in "$built"/*.so; do
		cp -L "$1/${file##*/}" new.so && mv new.so "$WT_PLUGINDIR/${file##*/}" || return
	done
}
restart() { wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping; }
# select/cons_tres and topology/tree of another release of Slurm, and nothing more.
alien_build() {
	cat >alien.c <<-END
	#include <stdint.h>
	#include <slurm/slurm.h>
	const char plugin_name[] = "of another release", plugin_type[] = TYPE;
	const uint32_t plugin_version = SLURM_VERSION_NUMBER + 1, plugin_id = ID;
	int init(void) { return 0; }
	END
	mkdir other && ${CC:-cc} -shared -fPIC -DTYPE="\"select/cons_tres\"" -DID=109 -o other/select_cons_tres.so alien.c &&
		${CC:-cc} -shared -fPIC -DTYPE="\"topology/tree\"" -DID=101 -o other/topology_tree.so alien.c
}

test_expect_success 'the plugin of another release is not taken for ours' '
	cat >tree.conf <<-\END &&
	# the forms that topology.conf(5) has, and those that its reader takes
	switchname=a nodes=n[0-3,5,4,6-7]	# leaf
	SwitchName=b Nodes="n8,n[9-10],n11" LinkSpeed=40
	SWITCHNAME=w0 \
	  Nodes=n[12-13]

	SwitchName=w1 LinkSpeed=10 Nodes=n[14-16,17,18-19]
	SwitchName=s Switches=a,b
	SwitchName=root Switches=s,w[0-1]
	END
	mkdir "$WT_PLUGINDIR" && alien_build && install_from other &&
	test_expect_code 1 windtunnel cluster up p --nodes 24 --topology tree.conf --plugin bestfit --quiet 2>err &&
	grep "did not load.*ours.*another release" err &&
	test_expect_code 1 windtunnel esp --nodes 24 --topology tree.conf --plugin bestfit --quiet --output alien 2>err &&
	grep "did not load.*ours.*another release" err
'
test_expect_success 'a run with the plugin, which is in its log' '
	install_from "$built" &&
	windtunnel run --workload burst --jobs 4 --run-time 0.2 --nodes 24 --topology tree.conf --plugin bestfit \
		--quiet --output run >out 2>err &&
	grep "bestfit: version" run/logs/slurmctld.log && grep "bestfit: mode=on" run/logs/slurmctld.log
'
test_expect_success 'a cluster with an uneven tree, and nodes outside of it' '
	windtunnel cluster up p --nodes 24 --topology tree.conf --plugin bestfit --quiet \
		--set SchedulerParameters=bestfit=on,bestfit_report=1,bf_interval=1,batch_sched_delay=0 \
		--set "PartitionName=inside Nodes=n[0-19]" &&
	loaded
'
test_expect_success 'windtunnel reads topology.conf as Slurm does' '
	in_cluster scontrol show topology | sed "s/.*SwitchName=\([^ ]*\).* Nodes=\([^ ]*\).*/\1 \2/" |
		while read -r switch list; do
		echo "$switch $(in_cluster scontrol show hostnames "$list" | wc -l)"
	done | sort >theirs && test_line_count = 6 theirs &&
	windtunnel topology show tree.conf --json | jq -r ".levels[].switches[] | \"\(.name) \(.all)\"" | sort -u >ours &&
	test_cmp theirs ours
'
test_expect_success 'an uneven tree: the tightest switch of any level that holds a job' '
	place_on "n[14-19]" chosen -p inside -N 6 --exclusive && place_on "n[8-11]" chosen -p inside -N 4 --exclusive &&
	place_on "n[12-13]" chosen -p inside -N 2 --exclusive && clear_jobs &&
	place_on "n[0-7]" chosen -p inside -N 8 --exclusive && clear_jobs &&
	place_on "n[0-11]" chosen -p inside -N 12 --exclusive && clear_jobs
'
test_expect_success 'with nodes outside the tree among the candidates Slurm chooses' '
	place outside-tree -N 3 --exclusive && place outside-tree -n 20 && clear_jobs &&
	place outside-tree -N 20 --exclusive && clear_jobs
'
test_expect_success 'an upgrade of Slurm, for which there is no plugin yet: its own takes over, and no job is lost' '
	place chosen -p inside -N 6 --exclusive && place chosen -p inside -n 5 && jobs_show >before &&
	install_from other && restart && jobs_show >after && test_cmp before after && ! loaded &&
	in_cluster sbatch --parsable --output=/dev/null -p inside -N 4 --wrap "sleep 1000" >job &&
	wt_poll 60 running "$(cat job)"
'
test_expect_success 'the plugin for it is installed: it takes over, and no job is lost' '
	jobs_show >before && install_from "$built" && restart &&
	jobs_show >after &&
	test_cmp before after && loaded && place chosen -p inside -N 2 --exclusive
'
test_expect_success 'a new build is installed while slurmctld runs the old one: jobs go on, and it is loaded by a restart' '
	install_from "$built" && place chosen -p inside -n 3 &&
	jobs_show >before && restart &&
	jobs_show >after && test_cmp before after && loaded && place chosen -p inside -n 3
'
test_expect_success 'without a tree all is left to Slurm' '
	cp "$conf" tree.slurm && sed -i "s,^TopologyPlugin=.*,TopologyPlugin=topology/none," "$conf" && restart &&
	if test_have_prereq QUICK; then
		place no-tree -p inside -n 2 && lately | grep "all jobs are left to Slurm: there are no switches"
	else	# whose topology plugin is not ours: we are not asked
		! place decisions -p inside -n 2 >out && grep "was not: decisions" out &&
		lately | grep "all jobs are left to Slurm: TopologyPlugin=topology/"
	fi && cp tree.slurm "$conf" && restart &&
	place chosen -p inside -n 3
'
test_expect_success 'removal: off by reconfigure, PluginDir taken back, the folder gone: jobs and commands go on' '
	sed -i "s/bestfit=on/bestfit=off/" "$conf" && reconfigure &&
	wt_poll 20 eval "lately | grep bestfit:.mode= | tail -n 1 | grep off" &&
	jobs_show >before && sed -i "/^PluginDir=/d" "$conf" && restart && rm -r "$WT_PLUGINDIR" &&
	jobs_show >after &&
	test_cmp before after && ! loaded && clear_jobs &&
	in_cluster sbatch --parsable --output=/dev/null -N 6 --wrap "sleep 1000" >job && wt_poll 60 running "$(cat job)"
'
test_expect_success 'slurmctld has logged no error of ours' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
