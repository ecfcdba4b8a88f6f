#!/bin/sh
test_description='WILL_RUN from counts on nodes of more than 64 cores, with GPUs: each answer the same as Slurm'\''s own'
. "$WT_SRCDIR/t/setup.sh"

fit=${WT_FIT:-off} scale=8 devices=2 device=gpu
. "$WT_SRCDIR/t/will_run.sh"
ways="cached now later now-refused now-asked future-refused future-asked left-gres"

test_expect_success 'nodes of 96 cores and 2 GPUs: random requests and events' '
	cluster_start "Sockets=2 CoresPerSocket=48" CR_Core_Memory bf_continue && submit_many 60 &&
	soak $ways &&
	test_line_count -gt 3 jobs
'
test_expect_success 'no answer differs; jobs that ask for GPUs, or for whole nodes of them, are left to Slurm' '
	all_same && paths_taken $ways
'
# With DefMemPerCPU a whole node of 96 cores would ask for more memory than it has.
question() { sbatch --test-only -N 3 --exclusive --mem=100 --wrap true && count; }
test_expect_success 'whole nodes: answered from counts while no job has a GPU, left to Slurm when one has' '
	wt_poll 120 quiet && { all_nodes_back || :; } && count && left=$(figure left-gres) stock=$(figure stock) &&
	question && [ "$(figure stock)" = "$stock" ] && [ "$(figure left-gres)" = "$left" ] &&
	job=$(sbatch --parsable -o /dev/null -n 1 --gres=gpu:1 -t 9 --wrap "sleep 600") &&
	wt_poll 120 state_is "$job" RUNNING && question && [ "$(figure left-gres)" -gt "$left" ] && all_same
'
test_expect_success 'no error of the plugin in any log' '
	grep "error: windtunnel" "$log" | grep -v "verify: JobId=[0-9]* run-now" >out || : && wt_empty out
'
test_done
