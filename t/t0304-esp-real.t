#!/bin/sh
test_description='windtunnel esp: a real cluster, named by SLURM_CONF, with real slurmds'
. "$WT_SRCDIR/t/setup.sh"

# Five neighbouring ports that nobody uses, below the ephemeral range; "cluster up" counts its own from 10000.
port=$(perl -MSocket -e 'for (1 .. 1000) { my $p = 30000 + int rand 2500; my $free = 1;
	for my $q ($p .. $p + 4) { socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
		$free &&= bind($s, pack_sockaddr_in($q, INADDR_ANY)); }
	if ($free) { print $p; exit 0 } } exit 1') || exit 1
pids=
# A slurmd that still has something to tell a slurmctld that is gone takes minutes to end.
stop() {
	test -n "$pids" || return 0
	kill $pids 2>/dev/null
	(sleep 3; exec kill -9 $pids) 2>/dev/null &
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
	PartitionName=main Nodes=ALL Default=YES State=UP
	EOF
}
start() { "$@" >>"$D/daemons.out" 2>&1 & pids="$pids $!"; }
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
	start slurmctld -D && start slurmd -D -N r0 && start slurmd -D -N r1 && start slurmd -D -N r2 &&
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
	wt_poll 60 sh -c "test -z \"\$(squeue -h)\"" &&	# a slurmstepd ends when slurmctld knows of its end
	summary stopped ".interrupted == true"
'
test_done
