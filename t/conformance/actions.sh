# Sourced by t/t0210-conformance.t: the client actions, one function each.  Every state that is to be compared lasts a
# second or more, or until the watch has seen it; jobs to which something is done while they run end only by that.

# ---- batch jobs ----
do_batch() { submit a "sleep 1"; }
do_batch_two_nodes() { submit a "sleep 1" -N2 --ntasks-per-node=4; }
do_exit_code() { WINDTUNNEL_EXIT_CODE=3 submit a "sleep 1"; }
do_dies() { WINDTUNNEL_FAIL=signal:10 submit a "sleep 1"; }
do_array() {
	submit a "sleep 1" --array=0-3 -w $NODE_A
	submit b "sleep 1" --array=0-3%2 -w $NODE_A
}
array_runs() {	# both tasks of the array; its id is that of the task made last
	N_ARRAY=$(squeue -h -n "$A/a" -t R -o %F | sort -u) && [ -n "$N_ARRAY" ] &&
		[ "$(squeue -h -n "$A/a" -t R -o %i | wc -l)" = 2 ] || return 1
	for task in $(squeue -h -n "$A/a" -t R -o %A); do
		grep -q ",start,$task," "$D/nodes/events.csv" || return 1
	done
}
one_task_runs() { [ "$(squeue -h -n "$A/a" -o %i)" = "${N_ARRAY}_0" ]; }
do_array_cancel() {
	submit a "sleep 60" --array=0-1
	till array_runs && node $NODE_A "ALLOCATED|MIXED"
	run scancel "${N_ARRAY}_1"
	till one_task_runs
	run scancel "$N_ARRAY"
}
do_hold() {
	submit a "sleep 1" -H
	job a "PENDING:JobHeldUser"
	run scontrol release "$(id a)"
}
do_hold_pending() {
	submit a "sleep 60" -N2 --exclusive
	submit b "sleep 1" -N2 --exclusive
	began a && run scontrol uhold "$(id b)" && job b "PENDING:JobHeldUser" && run scancel "$(id a)" &&
		job a "CANCELLED:.*" &&
		run scontrol release "$(id b)"
}
do_requeue() {
	submit a "sleep 100" --requeue && began a && run scontrol requeue "$(id a)" && job a "PENDING:BeginTime" &&
		began a 2 &&
		run scancel "$(id a)"
}
do_requeuehold() {
	submit a "sleep 100" --requeue && began a && run scontrol requeuehold "$(id a)" && job a "PENDING:JobHeldUser" &&
		run scontrol release "$(id a)" && began a 2 && run scancel "$(id a)"
}
do_dependencies() {
	submit good "sleep 1" -w $NODE_A
	WINDTUNNEL_EXIT_CODE=1 submit bad "sleep 2" -w $NODE_A
	submit ok "sleep 1" -w $NODE_A -d "afterok:$(id good)"
	submit any "sleep 1" -w $NODE_A -d "afterany:$(id bad)"
	submit notok "sleep 1" -w $NODE_A -d "afternotok:$(id bad)"
	submit never "sleep 1" -w $NODE_A -d "afterok:$(id bad)" --kill-on-invalid-dep=yes
	submit single "sleep 1" -w $NODE_A -d singleton
}

# ---- signals ----
do_scancel() { submit a "sleep 60" -N2 && began a && run scancel "$(id a)"; }
do_scancel_pending() {
	submit a "sleep 60" -H && job a "PENDING:JobHeldUser" && run scancel "$(id a)"
}
do_scancel_batch() { submit a "exec sleep 60" && began a && sleep 1 && run scancel --signal=USR1 --batch "$(id a)"; }
do_scancel_full() { submit a "exec sleep 60" -N2 && began a && sleep 1 && run scancel --signal=TERM --full "$(id a)"; }
do_scancel_steps() {
	submit a "sleep 100" && began a && run scancel --signal=TERM "$(id a)" && sleep 1 && run scancel "$(id a)"
}
# The limit of a job that runs is moved to a few seconds from now.  slurmctld looks for exceeded ones every 30 s.
end_soon() { run scontrol update JobId="$(id "$1")" EndTime=now+5; }
do_time_limit() { submit a "sleep 300" --time=1 -N2 && began a && end_soon a; }
do_time_limit_srun() { step a --time=1 sleep 300 && end_soon a; }
do_kill_wait() { WINDTUNNEL_IGNORE_TERM=1 submit a "sleep 100" -N2 && began a && run scancel "$(id a)"; }
do_kill_wait_srun() { WINDTUNNEL_IGNORE_TERM=1 WINDTUNNEL_RUN_TIME_S=100 step a "$TASK" && run scancel "$(id a)"; }
do_suspend() { submit a "sleep 100" -N2 && began a && sleep 1 && suspend a && sleep 1 && resume a && run scancel "$(id a)"; }
do_suspend_cancel() { submit a "sleep 60" && began a && sleep 1 && suspend a && run scancel "$(id a)"; }

# ---- steps ----
do_srun() { run srun -J $A/a -N2 sleep 1; }
do_srun_tasks() { run srun -J $A/a -N2 -n6 sleep 1; }
do_srun_exit_code() { WINDTUNNEL_RUN_TIME_S=1 WINDTUNNEL_EXIT_CODE=7 run srun -J $A/a -N2 "$TASK"; }
do_srun_dies() { WINDTUNNEL_RUN_TIME_S=1 WINDTUNNEL_FAIL=signal:10 run srun -J $A/a "$TASK"; }
do_srun_false() { brief && run srun -J $A/a -N2 false; }
do_srun_no_program() {
	brief && run srun -J $A/a -N2 ./no-such-program && run srun -J $A/b -N1 -w $NODE_A -n2 --label no-such-program &&
		run srun -J $A/c -N1 -w $NODE_A /etc/passwd
	printf '#!/no/such/shell -x\n' >"$WT_TMP/$B.interpreter" && chmod +x "$WT_TMP/$B.interpreter" &&
		run srun -J $A/d -N1 -w $NODE_A "$WT_TMP/$B.interpreter"
}
do_srun_input() {
	head -c 100000 /dev/zero >"$R/input" && run srun -J $A/a -N2 --input="$R/input" sh -c 'cat >/dev/null
sleep 1'
}
do_srun_scancel() { step a sleep 60 && run scancel "$(id a)"; }
do_srun_scancel_step() { step a sleep 60 && run scancel "$(id a).0"; }
do_srun_signal() { step a sleep 60 && run scancel --signal=USR1 "$(id a).0"; }
do_srun_interrupted() { step a sleep 60 && kill -TERM "$(pgrep -P "$(pgrep -P $!)")"; }
do_salloc() { run salloc -J $A/a -N2 sh "$CONF/steps.sh"; }
do_salloc_exit_code() { run salloc -J $A/a -N2 sh -c 'sleep 1; exit 9'; }
do_salloc_scancel() {	# when its command runs: before that salloc waits for the nodes
	bg salloc -K -J $A/a -N2 sh -c ">'$R/salloc_runs'; exec sleep 100"
	till [ -e "$R/salloc_runs" ] && runs a && run scancel "$(id a)"
}
do_srun_suspend() { step a sleep 100 && suspend a && sleep 1 && resume a && run scancel "$(id a)"; }

# Lines of a batch script: on virtual nodes wt-vnoded asks for these steps.
do_script_steps() { submit a "srun -N2 sleep 2
srun -N1 -n2 sleep 2" -N2 --ntasks-per-node=2; }
do_script_step_fails() { submit a "srun -N2 sleep 1
srun -N1 -n1 false
srun -N1 -n1 sleep 1" -N2; }
step_runs() { squeue -h -s -j "$(id a)" -o %i | grep -Fqx "$(id a).$1"; }
do_script_step_scancel() {
	submit a "srun -N2 sleep 100
srun -N1 -n1 sleep 1" -N2 && began a && till step_runs 0 && sleep 1 && run scancel "$(id a).0" &&
		job a "(COMPLETED|FAILED|CANCELLED).*"
}

# ---- nodes ----
do_drain() {
	run scontrol update NodeName=$NODE_A State=DRAIN Reason="a test"
	node $NODE_A "IDLE.DRAIN"
	submit a "sleep 1" -w $NODE_A
	job a "PENDING:ReqNodeNotAvail.*|PENDING:Resources"
	run scontrol update NodeName=$NODE_A State=RESUME
}
do_drain_busy() {
	submit a "sleep 100" -w $NODE_A && began a && run scontrol update NodeName=$NODE_A State=DRAIN Reason="a test"
	node $NODE_A "(ALLOCATED|MIXED).DRAIN" && sleep 1 && run scancel "$(id a)"
	job a "CANCELLED:.*" && node $NODE_A "IDLE.DRAIN" && run scontrol update NodeName=$NODE_A State=RESUME
}
do_down() {
	run scontrol update NodeName=$NODE_A State=DOWN Reason="a test"
	node $NODE_A "DOWN" && sleep 1 && run scontrol update NodeName=$NODE_A State=RESUME
}
do_down_busy() {
	submit a "sleep 60" --no-requeue -N2 && began a && run scontrol update NodeName=$NODE_A State=DOWN Reason="a test"
	job a "NODE_FAIL:.*" && node $NODE_A "DOWN" && sleep 1 && run scontrol update NodeName=$NODE_A State=RESUME
}
do_down_requeue() {
	submit a "sleep 100" --requeue -N2 && began a && run scontrol update NodeName=$NODE_A State=DOWN Reason="a test"
	job a "PENDING:.*" && node $NODE_A "DOWN" && sleep 1 && run scontrol update NodeName=$NODE_A State=RESUME &&
		began a 2 &&
		run scancel "$(id a)"
}

# ---- heterogeneous jobs ----
do_het_batch() {
	submit a "sleep 2" -N1 : -N1
}
do_het_srun() {
	run srun -J $A/a -N1 sleep 1 : -J $A/b -N1 sleep 1
}
do_het_salloc() {
	run salloc -J $A/a -N1 : -J $A/b -N1 srun --het-group=0,1 sleep 1
}
do_het_cancel() {
	submit a "sleep 60" -N1 : -J $A/b -N1 && began a && runs b && run scancel "$(id a)"
}

# ---- resources ----
do_gres() {
	submit a "sleep 3" --gres=fpga:1 -w $NODE_A
	submit b "sleep 1" --gres=fpga:2 -w $NODE_A
	submit never "sleep 1" --gres=fpga:3 -w $NODE_A
	run srun -J $A/c -N2 --gres=fpga:2 sleep 1
}
do_memory() {
	submit a "sleep 3" --mem=3000 -w $NODE_A
	submit b "sleep 1" --mem=3000 -w $NODE_A
	submit never "sleep 1" --mem=5000 -w $NODE_A
	run srun -J $A/c -N2 --mem=3000 sleep 1
}
do_exclusive() {
	submit a "sleep 3" --exclusive -w $NODE_A
	submit b "sleep 1" -n4 -w $NODE_A
}
do_preempt() {
	submit a "sleep 100" -N2 --exclusive --requeue
	began a && submit b "sleep 5" -N2 --exclusive -p high -w "$NODE_A,$NODE_B" && began b && began a 2 &&
		run scancel "$(id a)"
}

# ---- reboots ----
reboots() { node $NODE_A ".*REBOOT_ISSUED.*"; }
# slurmctld compares the times of a boot and of the next request in whole seconds: in the same second it takes the node
# for booted already.
boot_over() { sleep 2; }
do_reboot() { run scontrol reboot Reason="a test" $NODE_A && reboots; }
do_reboot_next_state() {
	boot_over && run scontrol reboot NextState=DOWN Reason="a test" $NODE_A && reboots && node $NODE_A "DOWN" &&
		sleep 1 &&
		run scontrol update NodeName=$NODE_A State=RESUME
}
do_reboot_asap() {
	boot_over && submit a "sleep 100" -w $NODE_A && began a &&
		run scontrol reboot ASAP NextState=RESUME Reason="a test" $NODE_A &&
		node $NODE_A ".*REBOOT_REQUESTED.*" && sleep 1 && run scancel "$(id a)" && reboots
}
do_reboot_cancelled() {
	submit a "sleep 100" -w $NODE_A && began a && run scontrol reboot ASAP $NODE_A &&
		node $NODE_A ".*REBOOT_REQUESTED.*" &&
		sleep 1 && run scontrol cancel_reboot $NODE_A && node $NODE_A "ALLOCATED|MIXED" && run scancel "$(id a)"
}

# ---- questions ----
# What the controller has of the node, by its configuration and by its registration.
do_registered() {
	submit a "sleep 100" -w $NODE_A --gres=fpga:1 --mem=1000 && began a
	fields="Arch|CoresPerSocket|CPUAlloc|CPUTot|Gres|GresDrain|GresUsed|OS|Version|RealMemory|AllocMem|Sockets|Boards"
	fields="$fields|State|ThreadsPerCore|CfgTRES|AllocTRES"
	run sh -c "scontrol -d show node $NODE_A | tr -s ' ' '\n' | grep -E '^($fields)='"
	run scancel "$(id a)"
}
do_ping() { run scontrol ping; }
do_status() { SLURMD_NODENAME=$NODE_A run scontrol show slurmd; }
do_status_busy() {
	submit a "sleep 100" -w $NODE_A && began a && SLURMD_NODENAME=$NODE_A run scontrol show slurmd &&
		run scancel "$(id a)"
}
do_listpids() {
	submit a "sleep 100" -w $NODE_A && began a && SLURMD_NODENAME=$NODE_A run scontrol listpids "$(id a)" &&
		run scancel "$(id a)"
}
# Of tasks that are not gathered there are no figures.
SSTAT=Nodelist,NTasks,AveCPU,MaxRSS,AveDiskRead,TRESUsageInTot
do_srun_sstat() {
	step a sleep 100 && run sstat -a -n -P -o $SSTAT "$(id a)" &&
		run sstat -n -P -j "$(id a).7" && run scancel "$(id a)"
}
do_sstat_batch() {
	submit a "sleep 100" -N2 && began a && run sstat -n -P -o $SSTAT "$(id a).batch" &&
		run sstat "$(id a)" && run scancel "$(id a)"
}
do_sattach() { step a sleep 15 && run sattach "$(id a).0"; }
do_sbcast() { brief && run salloc -J $A/a -N2 sbcast -f "$TASK" "$R/broadcast"; }

# ---- the whole cluster ----
do_reconfigure() {
	submit a "sleep 100" -N2 && began a && run scontrol reconfigure && run srun -J $A/b -N2 sleep 1 &&
		run scancel "$(id a)"
}
do_restart() {	# a job and a step go on meanwhile
	submit a "sleep 100" -N2 && began a && step b sleep 100 &&
		kill "$(jq '.daemons[] | select(.name == "slurmctld") | .pid' "$D/state.json")" &&
		till restarted_slurmctld && run scontrol ping &&
		run srun -J $A/c -N2 sleep 1 && run scancel "$(id a)" "$(id b)"
}
restarted_slurmctld() { [ "$(grep -c "slurmctld: started" "$D/daemons.log")" = 2 ] && scontrol ping | grep -q "is UP"; }
do_load() {
	for i in 1 2 3 4 5; do
		submit short$i "sleep 1" -n$i
		WINDTUNNEL_EXIT_CODE=$i submit fails$i "sleep 1" -N$i
		WINDTUNNEL_FAIL=signal:9 submit dies$i "sleep 1" -n$((2 * i))
		submit long$i "sleep 100" -N1 -n3
		submit again$i "sleep 100" -N2 --requeue
	done
	submit array "sleep 1" --array=0-19
	for i in 1 2 3 4 5; do
		began again$i && run scontrol requeue "$(id again$i)"
		began long$i && run scancel "$(id long$i)"
	done
	for i in 1 2 3 4 5; do
		began again$i 2 && run scancel "$(id again$i)"
	done
	run srun -J $A/srun -N2 sleep 1
}
