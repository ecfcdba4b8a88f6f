#!/bin/sh
test_description='best fit inside slurmctld: every kind of job is placed best-fit or left to Slurm, and its place is legal'
. "$WT_SRCDIR/t/setup.sh"

# 72 nodes of 16 CPUs: 12 leaves of 6, 2 switches of 6 leaves.  Partitions: all nodes, half of them, with whole nodes
# only, and the least loaded nodes first.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { windtunnel cluster exec p -- "$@"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %t)" = R ]; }
idle() { [ "$(in_cluster sinfo -h -p main -t idle -o %D)" = 72 ] && [ -z "$(in_cluster squeue -h)" ]; }
clear_jobs() { in_cluster scancel -u "$(id -un)" && wt_poll 60 idle; }
# place WHO OPTIONS...: run a job; $job is its number.  WHO decided: "chosen", or the reason why Slurm did.
place() {
	who=$1 && shift && who_before=$(counter "$who") && chosen_before=$(counter chosen) &&
		unplaced_before=$(counter unplaced) &&
	job=$(in_cluster sbatch --parsable --output=/dev/null "$@" --wrap "sleep 1000") &&
	wt_poll 60 running "$job" || return
	[ "$(counter "$who")" -gt "$who_before" ] || { echo "$* was not: $who"; grep counters: "$log" | tail -n 1
		return 1; }
	if [ "$who" = chosen ]; then
		[ "$(counter unplaced)" = "$unplaced_before" ] || { echo "$*: our nodes were refused"; return 1; }
	fi
	case $who in
	chosen | range | switches) ;;	# the last two: an idle machine would place them
	features) ;;			# of so many nodes with a feature each group is placed, then Slurm puts them together
	*) [ "$(counter chosen)" = "$chosen_before" ] || { echo "$* was chosen by us"; tail -n 20 "$log"; return 1; } ;;
	esac
}
nodes_of() { in_cluster scontrol show hostnames "$(in_cluster squeue -h -j "$1" -o %N)"; }
# legal MIN MAX ALLOWED [CPUS]: $job has so many nodes, all of them allowed, and at least so many CPUs; no node has more
# in use than it has.
legal() {
	nodes_of "$job" | sort >got && in_cluster scontrol show hostnames "$3" | sort >allowed &&
	test_line_count -ge "$1" got && test_line_count -le "$2" got && comm -23 got allowed >outside && wt_empty outside &&
	[ "$(in_cluster squeue -h -j "$job" -o %C)" -ge "${4:-1}" ] && in_cluster scontrol -o show node |
	sed -n 's/.*CPUAlloc=\([0-9]*\) .*CPUTot=\([0-9]*\) .*/\1 \2/p' | awk '$1 > $2 { exit 1 } END { exit NR != 72 }'
}
# leaves: how many leaves $job touches.
leaves() { nodes_of "$job" | sed 's/^n//' | awk '{ print int($1 / 6) }' | sort -u | wc -l; }
# Sbatch lets no job be arbitrary without nodes by name; the library does.
arbitrary_build() {
	cat >arbitrary.c <<-END
	#include <stdio.h>
	#include <unistd.h>
	#include <slurm/slurm.h>
	#include <slurm/slurm_errno.h>
	int main(void)
	{
		char *environment[] = { "PATH=/bin:/usr/bin", NULL };
		submit_response_msg_t *answer = NULL;
		job_desc_msg_t job;
		slurm_init(NULL);
		slurm_init_job_desc_msg(&job);
		job.script = "#!/bin/sh\\nsleep 1000\\n";
		job.environment = environment; job.env_size = 1; job.work_dir = "/";
		job.std_out = "/dev/null";
		job.user_id = getuid(); job.group_id = getgid(); job.min_nodes = job.max_nodes = 3;
		job.num_tasks = 6; job.min_cpus = 6;
		job.task_dist = SLURM_DIST_ARBITRARY;
		if (slurm_submit_batch_job(&job, &answer))
			return slurm_perror("submit"), 1;
		return printf("%u\\n", answer->job_id) < 0;
	}
	END
	${CC:-cc} -o arbitrary arbitrary.c -lslurm
}
# They read gres.conf when they start; the supervisor starts them again.
slurmds_restart() {
	for pid_file in "$WINDTUNNEL_STATE"/p/nodes/*.pid; do
		kill "$(cat "$pid_file")" || return
	done
}
# gres_ready TIME: slurmctld has heard of all slurmds that were started since then, and so of what they have: until then it
# may drain a node that tells of no GRES.
gres_ready() {
	in_cluster scontrol -o show node | sed -n "s/.* SlurmdStartTime=\([0-9T:-]*\).*/\1/p" |
		awk -v since="$1" '$1 >= since { n++ } END { exit n != 12 }' || return
	in_cluster scontrol update nodename="n[0-11]" state=resume
	[ "$(in_cluster sinfo -h -t idle -o %D)" = 12 ]
}
restart() { wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping; }

# Backfill, which asks for a job by WILL_RUN first, where best fit may choose, starts none.
parameters=bestfit=on,bestfit_report=1,bf_interval=3600,sched_interval=1,batch_sched_delay=0
test_expect_success 'a cluster with three partitions' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 72 --topology tree.conf --plugin bestfit --quiet \
		--set "SchedulerParameters=$parameters" \
		--set "PartitionName=half Nodes=n[36-71]" --set "PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE" \
		--set "PartitionName=loaded Nodes=ALL LLN=YES" --set AllowSpecResourcesUsage=yes
'
test_expect_success 'whole nodes: fewest leaves' '
	place chosen -N 6 --exclusive && legal 6 6 "n[0-71]" 96 && test "$(leaves)" = 1 &&
	place chosen -n 100 -p whole && legal 7 7 "n[0-71]" 112 && test "$(leaves)" = 2
'
test_expect_success 'cores of shared nodes: tightest leaf, and several tasks on each of several nodes' '
	place chosen -n 20 && legal 2 2 "n[0-71]" 20 && test "$(leaves)" = 1 &&
	place chosen -n 9 -c 3 && legal 2 3 "n[0-71]" 27 && test "$(leaves)" = 1 &&
	place chosen -N 4 -n 8 && legal 4 4 "n[0-71]" 8 && test "$(leaves)" = 1 &&
	place chosen -N 1 -n 4 && legal 1 1 "n[0-71]" 4
'
test_expect_success 'memory is respected' '
	place chosen -N 2 --mem=60000 && legal 2 2 "n[0-71]" 2
'
test_expect_success 'a partition of some of the nodes, and two partitions at a time' '
	place chosen -p half -N 5 --exclusive && legal 5 5 "n[36-71]" 80 && test "$(leaves)" = 1 &&
	place chosen -p half,main -N 2 && legal 2 2 "n[0-71]"
'
test_expect_success 'a reservation: its nodes for its jobs, and not for others' '
	clear_jobs && in_cluster scontrol create reservation reservationname=r starttime=now duration=60 users="$(id -un)" \
		nodes="n[30-47]" &&
	place chosen --reservation=r -N 6 --exclusive && legal 6 6 "n[30-47]" && test "$(leaves)" = 1 &&
	place chosen -N 50 --exclusive && legal 50 50 "n[0-29,48-71]" && clear_jobs &&
	in_cluster scontrol delete reservationname=r
'
test_expect_success 'excluded nodes, and nodes that are drained' '
	in_cluster scontrol update nodename="n[0-2]" state=drain reason=test && place chosen -x "n[6-65]" -N 5 --exclusive &&
	legal 5 5 "n[3-5,66-71]" && test "$(leaves)" = 1 && place chosen -N 4 -x "n[12-71]" --exclusive &&
	legal 4 4 "n[3-11]" &&
	in_cluster scontrol update nodename="n[0-2]" state=resume && clear_jobs
'
test_expect_success 'node ranges: as many as possible up to the greatest, on few leaves; with fewer: Slurm' '
	place chosen -N 2-5 --exclusive && legal 5 5 "n[0-71]" && test "$(leaves)" = 1 &&
	clear_jobs && place chosen -N 69 --exclusive && place range -N 2-5 --exclusive && legal 3 3 "n[0-71]" && clear_jobs
'
test_expect_success 'required nodes, contiguous, spread, overcommit: Slurm, and legal' '
	place required-nodes -N 3 -w "n[7,50]" && legal 3 3 "n[0-71]" && nodes_of "$job" | grep -qx n50 &&
	place contiguous -N 3 --contiguous && legal 3 3 "n[0-71]" &&
	place spread -N 4 --spread-job && legal 4 4 "n[0-71]" &&
	place overcommit -n 2 -O && legal 1 2 "n[0-71]"
'
test_expect_success 'tasks laid out by the user (--distribution=arbitrary), on nodes by name: Slurm, and legal' '
	place required-nodes -m arbitrary -w "n7,n7,n50" -n 3 && legal 2 2 "n[7,50]" 3
'
# slurmctld of 24.11 takes such a job, and then refuses its own state at the next start ("too large for the requested
# arbitrary node list ((null))").
case $(windtunnel --version) in *"(Slurm 22.05"*) test_set_prereq ARBITRARY ;; esac
test_expect_success ARBITRARY 'the same on any nodes, which only the library asks for' '
	arbitrary_build && arbitrary_before=$(counter arbitrary) && chosen_before=$(counter chosen) &&
	job=$(in_cluster "$PWD/arbitrary") &&
	wt_poll 60 running "$job" &&
	test "$(counter arbitrary)" -gt "$arbitrary_before" && test "$(counter chosen)" = "$chosen_before" &&
	legal 3 3 "n[0-71]" 6 &&
	in_cluster scontrol show job "$job" | grep "NumTasks=6"
'
test_expect_success '--switches: best fit where it touches no more leaves than asked for, else Slurm' '
	clear_jobs && place chosen -N 6 --exclusive --switches=1 && legal 6 6 "n[0-71]" && test "$(leaves)" = 1 &&
	place chosen -N 8 --exclusive --switches=2 && legal 8 8 "n[0-71]" && test "$(leaves)" = 2 && clear_jobs &&
	place required-nodes -N 47 -w "n[0-2,6-8,12-14,18-35,43-62]" --exclusive &&
	place required-nodes -N 9 -w "n[63-71]" --exclusive && place switches -N 8 --exclusive --switches=2@00:00:02 &&
	legal 8 8 "n[3-5,9-11,15-17,36-42]" && clear_jobs
'
test_expect_success 'features: best fit among the nodes that have them; numbers of nodes with one, or one for all: Slurm' '
	in_cluster scontrol update nodename="n[40-60]" availablefeatures=fast activefeatures=fast &&
	in_cluster scontrol update nodename="n[0-35]" availablefeatures=slow activefeatures=slow &&
	place chosen -C fast -N 8 --exclusive && legal 8 8 "n[40-60]" && test "$(leaves)" = 2 &&
	place chosen -C "fast|slow" -N 6 --exclusive && legal 6 6 "n[0-35,40-60]" && test "$(leaves)" = 1 &&
	place features -C "fast*4" -N 5 --exclusive && legal 5 5 "n[0-71]" &&
	place features -C "[fast|slow]" -N 12 --exclusive && legal 12 12 "n[0-35]" && clear_jobs
'
test_expect_success 'weights: best fit among the lightest, Slurm when they do not suffice' '
	in_cluster scontrol update nodename="n[36-71]" weight=9 && place chosen -N 5 --exclusive && legal 5 5 "n[0-35]" &&
	test "$(leaves)" = 1 && place mixed-nodes -N 40 --exclusive && legal 40 40 "n[0-71]" && nodes_of "$job" >got &&
	sed "s/^n//" got | awk "\$1 < 36" >light && test_line_count = 31 light &&
	place chosen -p half -N 5 --exclusive && legal 5 5 "n[36-71]" && test "$(leaves)" = 1 &&
	in_cluster scontrol update nodename="n[36-71]" weight=1 && clear_jobs
'
test_expect_success 'least loaded nodes, specialized cores, serial jobs at the end, a limit of CPUs: Slurm, and legal' '
	place lln -p loaded -n 4 && legal 1 4 "n[0-71]" 4 && place core-spec -S 1 -N 2 && legal 2 2 "n[0-71]" &&
	sed -i "s/^SchedulerParameters=.*/&,pack_serial_at_end/" "$conf" && reconfigure &&
	place prefer-busy -N 1 -n 1 && legal 1 1 "n[0-71]" && sed -i "s/,pack_serial_at_end//" "$conf" &&
	reconfigure &&
	limits=$(counter cpu-limit) &&
	job=$(in_cluster sbatch --parsable --output=/dev/null --hold -n 2 --wrap "sleep 1000") &&
	in_cluster scontrol update jobid="$job" numcpus=2-8 && in_cluster scontrol release "$job" &&
	wt_poll 60 running "$job" &&
	test "$(counter cpu-limit)" -gt "$limits" && legal 1 8 "n[0-71]" 2 && clear_jobs
'
test_expect_success 'a job array: each task is placed best-fit' '
	chosen_before=$(counter chosen) &&
	job=$(in_cluster sbatch --parsable --output=/dev/null --array=1-6 -N 6 --exclusive --wrap "sleep 1000") &&
	wt_poll 60 eval "[ \$(in_cluster squeue -h -r -t R -j $job | wc -l) = 6 ]" &&
	test "$(counter chosen)" -gt "$chosen_before" &&
	for task in $(in_cluster squeue -h -r -j "$job" -o %i); do
		job=$task && legal 6 6 "n[0-71]" && test "$(leaves)" = 1 || return 1
	done && clear_jobs
'
test_expect_success 'nodes of two sizes: Slurm when a job may have both, best fit within a size' '
	sed -n "s/^\(NodeName=\)n\[0-71\]\(.*\.\)\[0-71\]/\1n[0-35]\2[0-35]/p
		s/^\(NodeName=\)n\[0-71\]\(.*\.\)\[0-71\]\(.*\)/\1n[36-71]\2[36-71]\3/p" \
		"$conf" >lines && test_line_count = 1 lines &&
	sed "s/n\[0-35\]/n[36-71]/; s/\.\[0-35\]/.[36-71]/; s/CPUs=16/CPUs=8/; s/CoresPerSocket=8/CoresPerSocket=4/" lines \
		>small &&
	grep -v "^NodeName=" "$conf" >rest && cat rest lines small >"$conf.new" && mv "$conf.new" "$conf" && restart &&
	wt_poll 60 idle &&
	place mixed-nodes -N 40 --exclusive && legal 40 40 "n[0-71]" && place chosen -p half -N 2 -n 14 &&
	legal 2 2 "n[36-71]" 14 &&
	clear_jobs && place mixed-nodes -n 300 && legal 19 72 "n[0-71]" 300 && clear_jobs
'
test_expect_success 'gres without files, on real nodes, which count them: Slurm, and no node gives more than it has' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out && windtunnel cluster down p &&
	windtunnel topology generate fattree --arity 6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 12 --backend slurmd --topology tree.conf --plugin bestfit --quiet \
		--set "SchedulerParameters=$parameters" &&
	echo "NodeName=n[0-11] Name=fake Count=4" >"${conf%/*}/gres.conf" && echo "GresTypes=fake" >>"$conf" &&
	sed -i "s/^NodeName=.*/& Gres=fake:4/" "$conf" && restart && since=$(date +%FT%T) &&
	slurmds_restart && wt_poll 60 gres_ready "$since" &&
	place gres -N 2 --gres=fake:3 && place gres -N 11 --gres=fake:1 && place chosen -N 3 &&
	in_cluster sbatch --parsable --output=/dev/null -N 11 --gres=fake:3 --wrap "sleep 1000" >waits &&
	wt_poll 60 eval "in_cluster squeue -h -j $(cat waits) -o %r | grep Resources" &&
	test "$(in_cluster squeue -h -t R -o %b | grep -c fake)" = 2
'
test_expect_success 'slurmctld has logged no error of ours' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
