# Sourced by t/t0210-conformance.t: which actions run in which lane.  Those of one line run one after the other.
beside() { lane "$@" & lanes="$lanes $!"; }

beside 0 time_limit
beside 1 scancel scancel_pending scancel_batch scancel_full scancel_steps suspend suspend_cancel kill_wait batch \
	batch_two_nodes exit_code dies
beside 2 srun srun_tasks srun_input srun_exit_code srun_dies srun_false srun_scancel srun_scancel_step srun_signal \
	srun_interrupted kill_wait_srun gres memory
beside 3 array array_cancel hold hold_pending requeue requeuehold
beside 4 salloc salloc_exit_code salloc_scancel srun_suspend preempt ping registered status status_busy listpids \
	srun_sstat sstat_batch exclusive
beside 5 drain drain_busy down down_busy down_requeue sattach sbcast srun_no_program
beside 6 het_batch het_srun het_salloc het_cancel reboot reboot_next_state reboot_asap reboot_cancelled dependencies
beside 7 time_limit_srun script_steps script_step_fails script_step_scancel
wait $lanes
# These disturb all others.
(lane 0 reconfigure)
(lane 1 restart)
(lane main load)
