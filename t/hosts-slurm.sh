# Another Slurm cluster over hosts of t/hosts.sh: slurmctld on a, which is none of its nodes; a slurmd on each other host,
# called real-HOST.  Partition main has all of them, but for those of low_hosts, which partition low has, with the first.

D=$WT_TMP/other
port=6100	# on addresses that nobody else has
outer_conf() {
	cat <<-EOF
	ClusterName=other
	SlurmctldHost=$(hostname -s)(10.199.$host_net.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$D/munge/socket
	CredType=cred/munge
	StateSaveLocation=$D/state
	SlurmctldPidFile=$D/slurmctld.pid
	SlurmdSpoolDir=$D/spool-%n
	SlurmdPidFile=$D/slurmd-%n.pid
	SlurmctldLogFile=$D/slurmctld.log
	SlurmdLogFile=$D/slurmd-%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	PropagateResourceLimits=NONE
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
	SlurmdParameters=config_overrides
	ReturnToService=2
	KillWait=15
	EOF
	number=1
	for host in ${host_names#a }; do
		number=$((number + 1))
		echo "NodeName=real-$host NodeHostname=real-$host NodeAddr=10.199.$host_net.$number CPUs=4 RealMemory=100"
	done
	main_nodes= low_nodes=real-b
	for host in ${host_names#a }; do
		case " ${low_hosts-} " in
		*" $host "*) low_nodes=$low_nodes,real-$host ;;
		*) main_nodes=$main_nodes${main_nodes:+,}real-$host ;;
		esac
	done
	echo "PartitionName=main Nodes=$main_nodes Default=YES State=UP"
	test "$low_nodes" = real-b || echo "PartitionName=low Nodes=$low_nodes State=UP"
}
pids=
# Who has ended meanwhile has left its id to others: only what carries our folder in its environment is killed.
outer_end() {
	for id in $pids; do
		! grep -qsF "$WT_TMP" "/proc/$id/environ" || kill "$id"
	done
	sleep 1
	for host in $host_names; do
		ip netns pids "$net$host" | xargs -r kill -9
	done
	for id in $pids; do
		! grep -qsF "$WT_TMP" "/proc/$id/environ" || kill -9 "$id"
	done
}
cleanup 'test ! -d "$D" || outer_end'
start() { "$@" >>"$D/daemons.out" 2>&1 & pids="$pids $!"; }
outer() { SLURM_CONF=$D/slurm.conf on a "$@"; }
# start_slurmd HOST [FILES]: with that limit of open files
start_slurmd() {
	start env SLURM_CONF="$D/slurm.conf" ip netns exec "$net$1" sh -c \
		"${2:+ulimit -n $2 && }exec \"$(command -v slurmd)\" -D -N real-$1"
}
outer_idle() { test "$(outer sinfo -h -N -t idle -o %N | sort -u | wc -w)" = "$(echo "${host_names#a }" | wc -w)"; }
queue_empty() { queue=$(outer squeue -h) && test -z "$queue"; }
# All but the slurmds of low_hosts, which the caller starts.
outer_begin() {
	wt_names_local
	mkdir -p "$D/munge" "$D/state" && chmod 755 "$WT_TMP" "$D" "$D/munge" &&
	dd if=/dev/urandom of="$D/munge/key" bs=128 count=1 2>/dev/null && chmod 600 "$D/munge/key" &&
	echo CgroupPlugin=cgroup/v1 >"$D/cgroup.conf" && outer_conf >"$D/slurm.conf" &&
	start "$(command -v munged)" --force -F --key-file="$D/munge/key" --socket="$D/munge/socket" \
		--pid-file="$D/munge/pid" --seed-file="$D/munge/seed" --log-file="$D/munge/log" &&
	wt_poll 10 test -S "$D/munge/socket" && start outer slurmctld -D || return 1
	for host in ${host_names#a }; do
		case " ${low_hosts-} " in *" $host "*) ;; *) start_slurmd "$host" || return 1 ;; esac
	done
}
