#!/bin/sh
test_description='WILL_RUN from counts: random requests and events, each answer the same as Slurm'\''s own'
. "$WT_SRCDIR/t/setup.sh"

# With bestfit=off Slurm chooses.  By hand also WT_FIT=on,bestfit_tie=pack: sockets, overflows and many ends with best fit.
fit=${WT_FIT:-off}
. "$WT_SRCDIR/t/will_run.sh"
ways="cached now later now-refused now-asked future-refused future-asked stock"

test_expect_success 'two sockets, two threads a core, CR_Core_Memory: random requests and events' '
	cluster_start "pack:2 core:4 pu:2" CR_Core_Memory bf_continue &&
	scontrol update nodename="n[4-15]" availablefeatures=fast activefeatures=fast &&
	scontrol update nodename="n[24-33]" availablefeatures=slow activefeatures=slow && submit_many 60 && soak $ways &&
	test_line_count -gt 3 jobs
'
test_expect_success 'no answer differs, and each way to an answer was taken' '
	all_same && paths_taken $ways
'

test_expect_success 'a job resumed onto cores that another has by now, in one partition and in two' '
	wt_poll 60 quiet && { all_nodes_back || :; } && count &&
	before=$(figure without-cores) compared=$(figure compared) &&
	overflow n3 main main && grep "job overflow" "$log" &&
	overflow n21 main half && wt_poll 60 cores_lost $((compared + 10)) "$before" && all_same
'
test_expect_success 'jobs that fit where all cores are not free, and not where they are' '
	busy_decides 2 800 -p pair -n 3 -c 3 --ntasks-per-core=1 --mem-per-cpu=800 &&
	busy_decides 12 4600 -p odd -n 4 --mem-per-cpu=800
'
# memory_of NODE CPUS MEMORY: a job has them.
memory_of() {
	job=$(sbatch --parsable -o /dev/null -w "$1" -N 1 -n "$2" --mem="$3" -t 9 --wrap "sleep 600") &&
	wt_poll 60 state_is "$job" RUNNING
}
# n1 has no core free, but memory for 8 CPUs, as n0 has: of three nodes Slurm takes these two, which do not suffice, then n2
# alone, which does not, either.  Of n0 and n2 it would have taken both.
test_expect_success 'a busy node that lets Slurm find nothing among as many nodes as the job may have' '
	wt_poll 60 quiet && { all_nodes_back || :; } && memory_of n0 1 4100 && memory_of n1 16 4100 &&
	memory_of n2 1 2100 &&
	count && compared=$(figure compared) later=$(figure later) asked=$(figure busy-asked) &&
	sbatch --test-only -N 1-2 -n 20 --mem-per-cpu=500 -x "n[3-39]" --wrap true 2>said && cat said &&
	compared_more "$compared" && all_same && [ "$(figure later)" -gt "$later" ] &&
	[ "$(figure busy-asked)" -gt "$asked" ]
'
test_expect_success 'sockets, memory, a window that grows by steps: random requests and events' '
	windtunnel cluster down w &&
	cluster_start "pack:4 core:2 pu:2" CR_Socket_Memory bf_continue,bf_window_linear=40 &&
	ways="cached now later future-asked" && submit_many 40 && soak $ways && all_same && paths_taken $ways
'
test_expect_success 'jobs that fit on some of the sockets, and not on all' '
	busy_decides 1 1192 -p pair -n 3 -c 2 --ntasks-per-socket=1 --mem-per-cpu=1000
'
test_expect_success 'hundreds of jobs that end together: no test after more than 201 of them' '
	windtunnel cluster down w && cluster_start "pack:2 core:8 pu:1" CR_Core bf_continue &&
	sbatch -o /dev/null --array=1-600 -n 1 -t 9 --wrap "sleep 600" && wt_poll 120 enough_run 600 &&
	sbatch -o /dev/null -N 40 -t 3 --wrap true && sbatch -o /dev/null -N 39 -n 500 -t 3 --wrap true &&
	sbatch -o /dev/null -N 20 --exclusive -t 3 --wrap true && sbatch -o /dev/null -n 300 -t 3 --wrap true &&
	wt_poll 60 any_later && all_same
'
test_expect_success 'no error of the plugin in any log' '
	grep "error: windtunnel" "$log" | grep -v "verify: JobId=[0-9]* run-now" >out || : && wt_empty out
'
test_done
