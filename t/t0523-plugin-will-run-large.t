#!/bin/sh
test_description='WILL_RUN from counts on nodes of more than 64 cores, with GPUs: each answer the same as Slurm'\''s own'
. "$WT_SRCDIR/t/setup.sh"

fit=${WT_FIT:-off} scale=8 devices=2 device=gpu
. "$WT_SRCDIR/t/will_run.sh"

test_expect_success 'nodes of 96 cores and 2 GPUs: random requests and events' '
	cluster_start "Sockets=2 CoresPerSocket=48" CR_Core_Memory bf_continue && submit_many 60 && soak &&
	test_line_count -gt 3 jobs
'
test_expect_success 'no answer differs; jobs that ask for GPUs, or for whole nodes of them, are left to Slurm' '
	all_same && paths_taken cached now later now-refused now-asked future-refused future-asked left-gres
'
test_expect_success 'no error of the plugin in any log' '
	grep "error: windtunnel" "$log" | grep -v "verify: JobId=[0-9]* run-now" >out || : && wt_empty out
'
test_done
