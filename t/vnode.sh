# Sourced by t/t02*.t after setup.sh: a cluster started by hand, so that wt-vnoded is tested without "windtunnel cluster".
# All daemons are children of the script: they are ended by their own pid and waited for.
VNODED=${WT_VNODED:-$WT_BUILDDIR/harness/vnode/wt-vnoded}	# WT_VNODED: e.g. a script that calls valgrind
RPC=$WT_BUILDDIR/harness/vnode/rpc_send
wt_names_local

# Two neighbouring ports that nobody uses, below the ephemeral ones.  Between this and the daemons' start another script may
# look for some: it has another process id, and takes those of another hundredth.
vnode_ports() {
	perl -MSocket -e 'for (1 .. 1000) { my $p = 20000 + 2 * ($ARGV[0] % 100 + 100 * int rand 40); my $free = 1;
		for my $q ($p, $p + 1) { socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
			$free &&= bind($s, pack_sockaddr_in($q, INADDR_ANY)); }
		if ($free) { print $p; exit 0 } } exit 1' $$
}

# vnode_conf NODES [KEY=VALUE]...: write $C/slurm.conf; a KEY given replaces the line.  Jobs that have ended stay in
# slurmctld's list, however long a busy machine takes until a test asks for them.
vnode_conf() {
	vnode_count=$1; shift
	vnode_port=$(vnode_ports) || return 1
	user=$(id -un)
	cat >"$C/slurm.conf" <<-END
	ClusterName=t
	SlurmctldHost=localhost(127.0.0.1)
	SlurmUser=$user
	SlurmdUser=$user
	AuthInfo=socket=$C/munge.socket,cred_expire=5
	SlurmctldPort=$vnode_port
	SlurmdPort=$((vnode_port + 1))
	StateSaveLocation=$C/state
	SlurmctldPidFile=$C/slurmctld.pid
	SlurmctldLogFile=$C/slurmctld.log
	SlurmdSpoolDir=$C/spool
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SchedulerParameters=sched_interval=1
	MpiDefault=none
	ReturnToService=2
	MailProg=/bin/true
	Epilog=/bin/true
	MinJobAge=86400
	END
	for set in "$@"; do
		sed -i "/^${set%%=*}=/d" "$C/slurm.conf"
		echo "$set" >>"$C/slurm.conf"
	done
	cat >>"$C/slurm.conf" <<-END
	NodeName=n[0-$((vnode_count - 1))] NodeAddr=127.77.0.[1-$vnode_count] CPUs=4 RealMemory=1000
	PartitionName=p Nodes=ALL Default=YES
	END
	# MessageTimeout is about slurmctld and the nodes: clients have patience with a busy machine.
	sed "/^MessageTimeout=/d; \$ a MessageTimeout=100" "$C/slurm.conf" >"$C/clients.conf"
}

vnode_start_ctld() {
	slurmctld -D -f "$C/slurm.conf" >"$C/slurmctld.out" 2>&1 3>&- 4>&- 5>&- 6>&- &
	CTLD_PID=$!
}

vnode_start_vnoded() {
	"$VNODED" --conf "$C/slurm.conf" --dir "$C/nodes" $VNODED_OPTIONS "$@" >>"$C/vnoded.log" 2>&1 3>&- 4>&- 5>&- 6>&- &
	VNODED_PID=$!
}

vnode_all_idle() {
	test "$(sinfo -h -o '%T %D')" = "idle $vnode_count" &&
	test "$(vnode_stat registered)" -eq "$vnode_count"
}

vnode_end() {	# vnode_end PID...: end children of ours
	for pid in "$@"; do
		kill "$pid" 2>/dev/null && wait "$pid"
	done
	true
}

vnode_down() {
	vnode_end $VNODED_PID $CTLD_PID $MUNGED_PID
	VNODED_PID= CTLD_PID= MUNGED_PID=
}

# vnode_up NODES [KEY=VALUE]...: sets C (its folder) and SLURM_CONF (of clients); returns when all nodes have registered and
# are idle.
vnode_up() {
	C=$WT_TMP/c
	SLURM_CONF=$C/clients.conf
	export C SLURM_CONF
	chmod 755 "$WT_TMP"
	mkdir -m 755 "$C" && mkdir "$C/state" "$C/nodes" && vnode_conf "$@" || return 1
	(umask 077 && head -c 1024 /dev/urandom >"$C/munge.key")
	munged --foreground --socket="$C/munge.socket" --key-file="$C/munge.key" --pid-file="$C/munge.pid" \
		--seed-file="$C/munge.seed" --log-file="$C/munge.log" >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- &
	MUNGED_PID=$!
	wt_poll 10 test -S "$C/munge.socket" || return 1
	vnode_start_ctld
	vnode_start_vnoded
	wt_poll "${vnode_up_s:-60}" vnode_all_idle || { cat "$C/slurmctld.out" "$C/vnoded.log"; return 1; }
}

vnode_stat() {	# a number of stats.json
	sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$C/nodes/stats.json" | head -n 1
}

vnode_stat_at_least() {
	test "$(vnode_stat "$1")" -ge "$2"
}

# vnode_submit SCRIPT-LINE [SBATCH-OPTION]...: prints the job's id.
vnode_submit() {
	printf '#!/bin/sh\n%s\n' "$1" >"$C/script"
	shift
	sbatch --parsable -o /dev/null "$@" "$C/script"
}

vnode_job() {	# vnode_job ID FIELD: from scontrol
	scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

vnode_job_is() {	# vnode_job_is ID STATE
	test "$(vnode_job "$1" JobState)" = "$2"
}

vnode_events() {	# vnode_events ID EVENT: how many
	grep -c ",$2,$1," "$C/nodes/events.csv"
}

# slurmctld calls a job RUNNING before its nodes have heard of it: what is done to its script comes after this.
vnode_begun() {	# vnode_begun ID: its script has begun, once
	test "$(vnode_events "$1" start)" -eq 1
}

vnode_queue_empty() {	# a squeue that fails says nothing, either
	queue=$(squeue -h "$@") && test -z "$queue"
}

vnode_released() {	# vnode_released ID NODES
	test "$(vnode_events "$1" release)" -eq "$2"
}

cleanup vnode_down
