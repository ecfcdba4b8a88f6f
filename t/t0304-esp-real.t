#!/bin/sh
test_description='windtunnel esp: a real cluster, named by SLURM_CONF, with real slurmds'
. "$WT_SRCDIR/t/setup.sh"

# Seven neighbouring ports that nobody uses, below the ephemeral range; "cluster up" counts its own from 10000.
port=$(perl -MSocket -e 'for (1 .. 1000) { my $p = 30000 + int rand 2500; my $free = 1;
	for my $q ($p .. $p + 6) { socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
		$free &&= bind($s, pack_sockaddr_in($q, INADDR_ANY)); }
	if ($free) { print $p; exit 0 } } exit 1') || exit 1
pids= theirs=
# A slurmd that still has something to tell a slurmctld that is gone takes minutes to end.
stop() {
	test -n "$pids" || return 0
	test -z "$theirs" || ! scancel $theirs || wt_poll 60 sh -c 'test -z "$(squeue -h -t running,completing)"'
	kill $pids 2>/dev/null
	# One that has ended meanwhile has left its id to others: only who carries our folder in its environment is killed.
	(sleep 3; for id in $pids; do ! grep -qsF "$WT_TMP" "/proc/$id/environ" || kill -9 "$id"; done) 2>/dev/null &
	wait $pids 2>/dev/null
	kill $! 2>/dev/null
	# A slurmstepd that waits for an answer outlives its slurmd, and is known by our folder in its environment.
	for process in /proc/[0-9]*; do
		! grep -qs slurmstepd "$process/cmdline" || ! grep -qsF "$WT_TMP" "$process/environ" ||
			kill -9 "${process#/proc/}"
	done
}
cleanup stop
D=$WT_TMP/real

real_conf() {
	user=$(id -un)
	cat <<-EOF
	ClusterName=real
	SlurmctldHost=localhost(127.0.0.1)
	SlurmctldPort=$port
	SlurmUser=$user
	SlurmdUser=$user
	AuthType=auth/munge
	AuthInfo=socket=$D/munge/socket
	CredType=cred/munge
	StateSaveLocation=$D/state
	SlurmctldPidFile=$D/slurmctld.pid
	SlurmdSpoolDir=$D/spool-%n
	SlurmdPidFile=$D/slurmd-%n.pid
	SlurmctldLogFile=$D/slurmctld.log
	SlurmdLogFile=$D/slurmd-%n.log
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	PropagateResourceLimits=NONE
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
	SlurmdParameters=config_overrides
	ReturnToService=2
	NodeName=r[0-3] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] \
CPUs=16 Sockets=2 CoresPerSocket=8 RealMemory=100
	NodeName=r4 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 5)) CPUs=16 Sockets=2 CoresPerSocket=8
	NodeName=r5 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 6)) CPUs=8 CoresPerSocket=8
	PartitionName=main Nodes=r[0-3] Default=YES State=UP
	PartitionName=quiet Nodes=r[0-1] State=UP
	PartitionName=other Nodes=r[2-3] State=UP
	PartitionName=kinds Nodes=r[4-5] State=UP
	PartitionName=lone Nodes=r2 State=UP
	PartitionName=limits Nodes=r[0-1] State=UP MaxNodes=1 MaxTime=1
	PartitionName=closed Nodes=r[0-1] State=DOWN
	PartitionName=else Nodes=r[0-1] State=UP AllowAccounts=else
	EOF
}
# Who was waited for has left its id to others.
forget() { pids=$(echo "$pids " | sed "s/ $1 / /"); }
start() { "$@" >>"$D/daemons.out" 2>&1 & pids="$pids $!"; }
queue_empty() { queue=$(squeue -h) && test -z "$queue"; }
wt_names_local
idle() { test "$(sinfo -h -t idle -o %D)" = 4; }
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }

test_expect_success 'a cluster of four real slurmds' '
	mkdir -p "$D/munge" "$D/state" && chmod 755 "$WT_TMP" "$D" "$D/munge" &&
	dd if=/dev/urandom of="$D/munge/key" bs=128 count=1 2>/dev/null && chmod 600 "$D/munge/key" &&
	echo CgroupPlugin=cgroup/v1 >"$D/cgroup.conf" &&	# is not used, but found by a slurmd without /sys/fs/cgroup
	real_conf >"$D/slurm.conf" && SLURM_CONF=$D/slurm.conf && export SLURM_CONF &&
	start munged --force -F --key-file="$D/munge/key" --socket="$D/munge/socket" --pid-file="$D/munge/pid" \
		--seed-file="$D/munge/seed" --log-file="$D/munge/log" &&
	wt_poll 10 test -S "$D/munge/socket" &&
	start slurmctld -D && ctld=$! && start slurmd -D -N r0 && start slurmd -D -N r1 && start slurmd -D -N r2 &&
	start slurmd -D -N r3 &&
	wt_poll 60 idle || { cat "$D"/*.log; false; }
'
test "$test_failure" = 0 || test_done	# the rest would wait for these slurmds

test_expect_success 'every job is COMPLETED; times are those of slurmctld' '
	windtunnel esp --time-scale 0.002 --burst 230 --timeout 300 --quiet --output run >out 2>err || { cat err; false; } &&
	summary run ".backend == \"real\" and .jobs_completed == 230 and .controller_cpu_s > 0 and .nodes == 4 and
		.cpus == 64" &&
	grep -q "^ClusterName=real" run/slurm.conf
'
test_expect_success 'whole nodes, a step as the probe, and Ctrl-C: no job stays behind' '
	{ windtunnel esp --unit nodes --probe step --time-scale 1 --quiet --output stopped >stopped.out 2>&1 & pid=$!; } &&
	wt_poll 30 sh -c "squeue -h -s | grep -q light-esp || squeue -h -t running | grep -q ." &&
	kill -INT $pid && test_expect_code 130 wait $pid &&
	squeue -h -t pending,running >left && test_line_count = 0 left &&
	wt_poll 60 queue_empty &&	# a slurmstepd ends when slurmctld knows of its end
	summary stopped ".interrupted == true"
'

# The same jobs there and on an emulation of it, whose nodes and slurm.conf are read from the real cluster.
twin() { windtunnel twin --with time-scale=0.002 --with timeout=300 --max-nodes 4 --repeat 2 --output twin "$@"; }
begin_twin() { exec windtunnel twin --with time-scale=1 --with burst=230 --output twin-cut --quiet; }
test_expect_success 'twin: what is wrong is told before anything is run' '
	test_expect_code 2 windtunnel twin --with EpilogMsgTime=1 2>err && grep "the real cluster stays as it is" err &&
	test_expect_code 2 windtunnel twin --emulate time-scale=1 2>err && grep "both get the same workload" err &&
	test_expect_code 2 windtunnel twin --partition none 2>err && grep "none" err && test ! -e twin &&
	test_expect_code 2 windtunnel twin --partition kinds 2>err && test ! -e twin &&
	grep "not all alike: r4 has 16 CPUs (2 sockets, 8 cores, 1 threads), and r5 8 (1, 8, 1): give --site" err &&
	test_expect_code 2 twin --emulate shape=none 2>err && grep "shape .none. is neither" err && test ! -e twin &&
	test_expect_code 2 twin --emulate node.fail=none 2>err && grep "fail=none" err && test ! -e twin &&
	test_expect_code 2 windtunnel twin --max-jobs 3 --output capped-twin 2>err && grep "max-jobs 3: the work" err &&
	twin --dry-run >out && grep "^a real cluster, partition main: 4 nodes, 4 idle" out && test ! -e twin &&
	squeue -h >left && test_line_count = 0 left
'
test_expect_success 'twin: a real cluster and its emulation, compared' '
	twin >out 2>err || { cat out err; false; } && cat out err &&
	grep "^windtunnel twin: 460 jobs of the real cluster took .* longer than .*; a node was completing for" err &&
	grep "conf.*$D/slurm.conf" twin/experiment.yaml && grep "shape.*pack:2 core:8 pu:1" twin/experiment.yaml &&
	grep "memory.*100\>" twin/experiment.yaml &&
	windtunnel experiment compare --json twin >json &&
	jq -e "[.cases[].name][:2] == [\"real\", \"emulated\"]" json &&
	# The jobs are shorter than the seconds in which slurmctld tells their times: delays may be found, or none.
	if grep "launch-delay\|epilog-time" twin/experiment.yaml; then
		jq -e ".cases[2] | .name == \"emulated with delays\" and .runs == 2" json
	else
		jq -e ".cases | length == 2" json
	fi &&
	jq -e "[.cases[].figures.makespan_s.mean] | all(. > 1)" json &&
	jq -e ".cases[1].with_first.figures.makespan_s.relative" json &&
	summary twin/real/2 ".backend == \"real\" and .jobs_completed == 230 and .nodes == 4" &&
	summary twin/emulated/2 ".backend == \"virtual\" and .jobs_completed == 230 and .nodes == 4 and .cpus == 64" &&
	test -s twin/report.html && squeue -h >left && test_line_count = 0 left
'
test_expect_success 'twin: Ctrl-C leaves no job there, and --resume is told' '
	{ begin_twin >cut.out 2>cut.err & pid=$!; } && wt_poll 120 sh -c "squeue -h -t running | grep -q ." &&
	kill -INT $pid && test_expect_code 130 wait $pid && grep "go on with: windtunnel twin --resume" cut.err &&
	squeue -h -t pending,running >left && test_line_count = 0 left && wt_poll 60 queue_empty
'

# From here on somebody else uses the cluster: a job that runs, one that waits, one that has the comment of a run of ours.
# others FILE: the records of his jobs, but for what changes by itself
others() {
	for id in $theirs; do scontrol show job -o $id || return 1; done |
		sed -E "s/ (RunTime|LastSchedEval|Scheduler)=[^ ]*//g" >"$1"
}
other() { sbatch --uid=65534 --gid=65534 --parsable -o /dev/null -D / -p other "$@" --wrap "sleep 3600"; }
run() { windtunnel run --real --workload burst --jobs 12 --run-time 600 --timeout 300 --quiet "$@"; }
# The same as a process of its own: "begin ... & pid=$!" is windtunnel's.
begin() { exec windtunnel run --real --workload burst --jobs 12 --timeout 300 --quiet --job-cpus 16 --partition quiet "$@"; }
begin_strange() { (begin --run-time 600 --output strange); }
begin_again() { (begin --run-time 600 --output killed --resume); }
mine() { squeue -h --me -t "${1:-pending,running,completing}" -o %i; }
some_run() { test -n "$(mine running)" && test -n "$(mine pending)"; }
# All 12 of begin (): each has a node of the two in partition quiet, or waits for one.
all_mine() { test "$(mine running | wc -l)" = 2 && test "$(mine pending | wc -l)" = 10; }
none_mine() { left=$(mine) && test -z "$left"; }	# a squeue that fails says nothing, either
running() { squeue -h -t running -o %i | grep -qx "$1"; }
test "$(id -u)" != 0 || test_set_prereq OTHER

test_expect_success OTHER 'the dry run says whose the nodes are, and a partition with jobs of others is refused' '
	first=$(other -w r3 --exclusive) && second=$(other --hold) && theirs="$first $second" &&
	wt_poll 240 running $first &&
	others before && run --dry-run >out && cat out &&
	grep "^a real cluster, partition main: 4 nodes, 3 idle, 1 busy, 0 down, drained or reserved; 1 jobs of oth" out &&
	grep "^it would take up to 4 nodes, submit 12 jobs, and need 0.125 node hours" out &&
	grep "^it would be refused: partition main is in use" out &&
	run --dry-run --json | jq -e ".real_cluster | .others_running == 1 and .nodes_idle == 3 and .open_to_all" &&
	test_expect_code 2 run --output refused 2>err && grep "partition main is in use: .*--shared" err && none_mine &&
	test_expect_code 2 run --partition other 2>err && grep "1 jobs of others run on its nodes and 1 wait" err &&
	test_expect_code 2 windtunnel esp --quiet 2>err && grep "partition main is in use" err && none_mine &&
	test ! -e refused &&
	others after && test_cmp before after
'
test_expect_success 'caps: what is more is refused before the first job; other nodes are left alone' '
	test_expect_code 2 run --partition quiet --max-jobs 11 2>err && grep "max-jobs 11: the workload has 12 jobs" err &&
	test_expect_code 2 run --partition quiet --max-node-hours 0.1 2>err && grep "the workload needs 0.125" err &&
	test_expect_code 2 windtunnel run --workload burst --max-jobs 3 --nodes 4 2>err && grep "for a real cluster" err &&
	test_expect_code 2 run --partition quiet --reservation none 2>err && grep "there is none of this name" err &&
	none_mine &&
	run --partition quiet --run-time 1 --max-nodes 1 --max-jobs 12 --output capped >out &&
	summary capped ".backend == \"real\" and .nodes == 1 and .cpus == 16 and .jobs_completed == 12 and
		.real_cluster.excluded == \"r1\" and .real_cluster.nodes_used == 1" &&
	grep -c ",r0," capped/jobs.csv >count && echo 12 >want && test_cmp want count && grep "real" out
'
test_expect_success OTHER 'others that wait for nodes of the partition in another one are there, too' '
	test_expect_code 2 run --partition lone 2>err && grep "0 jobs of others run on its nodes and 1 wait" err
'
test_expect_success 'what the partition never begins is refused before the first job' '
	test_expect_code 2 run --partition limits --job-cpus 17 --run-time 1 2>err && grep "at most 1 (MaxNodes)" err &&
	test_expect_code 2 run --partition limits 2>err && grep "at most 1 (MaxTime)" err &&
	run --partition limits --dry-run >out && grep "it would be refused: job burst.1 has a time limit" out &&
	test_expect_code 2 run --partition closed 2>err && grep "its State is not UP" err && none_mine &&
	scontrol update nodename=r1 state=drain reason=test &&
	test_expect_code 2 run --partition quiet --job-cpus 32 2>err &&
	grep "1 nodes with 16 CPUs are neither down" err &&
	run --partition quiet --job-cpus 16 --max-nodes 1 --dry-run >out && grep "up to 1 nodes (not r1)" out &&
	! grep "would be refused" out && scontrol update nodename=r1 state=resume && none_mine
'
case $(windtunnel --version) in *"(Slurm 22.05"*) test_set_prereq WAITS ;; esac	# later ones do not look without slurmdbd
test_expect_success WAITS 'for what jobs wait in a partition whose accounts nobody has' '
	test_expect_code 1 run --partition else --run-time 1 --timeout 20 2>err &&
	grep "jobs pending, .*; burst.1 waits for: .*ccount" err && wt_poll 240 none_mine
'
test_expect_success OTHER 'a reservation for maintenance is the run'"'"'s own; without it its nodes are not' '
	scontrol create ReservationName=service StartTime=now Duration=60 Users=root Nodes=r0 Flags=maint &&
	wt_poll 240 sh -c "scontrol show node r0 | grep -i \"State=.*maint\"" &&
	run --partition quiet --dry-run >out && cat out && grep "2 nodes, 1 idle, 0 busy, 1 down, drained or reserved" out &&
	run --partition quiet --reservation service --dry-run >out &&
	grep "1 nodes, 1 idle, 0 busy, 0 down, drained or reserved" out && scontrol delete ReservationName=service
'
test_expect_success OTHER 'a reservation is used, and only its nodes' '
	scontrol create ReservationName=wind StartTime=now Duration=60 Users=root Nodes=r0 >out && cat out &&
	run --reservation wind --run-time 1 --output reserved >out &&
	summary reserved ".nodes == 1 and .jobs_completed == 12 and .real_cluster.others_running == 0" &&
	grep -c ",r0," reserved/jobs.csv >count && echo 12 >want && test_cmp want count &&
	scontrol delete ReservationName=wind && others after && test_cmp before after
'
test_expect_success OTHER 'Ctrl-C in the middle: its own jobs go, and nobody else is touched' '
	{ windtunnel esp --real --partition quiet --max-nodes 2 --time-scale 1 --burst 230 --quiet --output cut \
		>cut.out 2>&1 & pid=$!; } &&
	wt_poll 240 some_run && kill -INT $pid && test_expect_code 130 wait $pid && wt_poll 240 none_mine &&
	summary cut ".interrupted == true and .real_cluster.partition == \"quiet\"" && others after && test_cmp before after
'
test_expect_success OTHER 'kill -9: --clean ends what is left, but no job of another user with the same comment' '
	{ begin --run-time 600 --output killed >killed.out 2>&1 & pid=$!; } &&
	wt_poll 240 all_mine && mine >before.mine &&
	test_expect_code 1 windtunnel run --clean killed 2>err &&
	grep "killed: a run goes on in this folder, as process $pid" err &&
	test_expect_code 1 begin_again 2>err && grep "a run goes on in this folder" err &&
	test_expect_code 2 windtunnel run --dry-run --clean=killed 2>err && grep "stands alone" err &&
	test_expect_code 2 windtunnel run --clean=killed --json 2>err && grep "stands alone" err &&
	mine >after.mine && test_cmp before.mine after.mine &&
	kill -9 $pid && test_expect_code 137 wait $pid && test -n "$(mine)" &&
	third=$(other --hold --comment="$(jq -r .tag killed/scenario.json)") && theirs="$theirs $third" && others before &&
	windtunnel run --clean killed >out && grep "jobs of killed were cancelled; none is left" out && ! grep "^0 " out &&
	test -z "$(mine pending,running)" && others after && test_cmp before after &&
	windtunnel run --clean killed >out && grep "^0 jobs of killed" out
'
test_expect_success OTHER 'kill -9: --resume ends what is left, and runs it again' '
	{ begin --run-time 600 --output again >again.out 2>&1 & pid=$!; } &&
	wt_poll 240 some_run && kill -9 $pid && test_expect_code 137 wait $pid && wt_poll 240 some_run &&
	{ begin --run-time 600 --output again --resume >out 2>err & pid=$!; } &&
	wt_poll 240 grep "jobs that .*again had left in the cluster were cancelled" err && wt_poll 240 some_run &&
	kill -INT $pid && test_expect_code 130 wait $pid && wt_poll 240 none_mine && others after && test_cmp before after
'
test_expect_success OTHER 'Ctrl-C while slurmctld is away: the jobs go when it is back' '
	{ begin --run-time 600 --output away >away.out 2>&1 & pid=$!; } && wt_poll 240 some_run &&
	kill $ctld && { wait $ctld || :; } && forget $ctld && kill -INT $pid && start slurmctld -D &&
	test_expect_code 130 wait $pid && wt_poll 240 none_mine && others after && test_cmp before after
'
test_expect_success 'what is no run of a real cluster is not cleaned' '
	test_expect_code 2 windtunnel run --clean nowhere 2>err && grep "nowhere: there is no run in it" err &&
	mkdir forged && jq ".tag = \"\"" capped/scenario.json >forged/scenario.json &&
	test_expect_code 2 windtunnel esp --clean forged 2>err && grep "is of no run on a real cluster" err &&
	jq ".options.cluster = \"p\"" capped/scenario.json >forged/scenario.json &&
	test_expect_code 2 windtunnel esp --clean forged 2>err && grep "is of no run on a real cluster" err &&
	test_expect_code 2 windtunnel run --real --workload burst --cancel-after 1 2>err && grep "not for a real one" err &&
	jq ".cluster.name = \"else\"" capped/scenario.json >forged/scenario.json &&
	test_expect_code 2 windtunnel esp --clean forged 2>err && grep "is of a run on cluster else" err &&
	test_expect_code 2 windtunnel esp --clean forged --seed 3 2>err && grep "stands alone" err
'

# Last: the plugin stays.
plugin_is_there() { test "$(scontrol show config | sed -n "s/^JobSubmitPlugins *= //p")" = lua; }
# From 24.11 on slurmctld executes itself anew for it, and nodes are not idle before they have registered.
quiet_is_idle() { test "$(sinfo -h -p quiet -t idle -o %D)" = 2; }
find /lib /usr/lib -name "liblua5.[1-4].so*" 2>/dev/null | grep -q . && test_set_prereq LUA
test_expect_success LUA 'a job submit plugin that changes what a run knows its jobs by: it ends, and cancels them' '
	printf "%s\n" "function slurm_job_submit(job, part, uid) job.comment = \"site\" return slurm.SUCCESS end" \
		"function slurm_job_modify(job, rec, part, uid) return slurm.SUCCESS end" >"$D/job_submit.lua" &&
	echo JobSubmitPlugins=lua >>"$D/slurm.conf" && scontrol reconfigure && wt_poll 60 plugin_is_there &&
	wt_poll 60 quiet_is_idle &&
	test_expect_code 1 begin_strange 2>err && grep "another comment or name than it was submitted with" err &&
	wt_poll 60 none_mine && summary strange ".jobs_completed == 0"
'
test_done
