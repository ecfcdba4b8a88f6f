#!/bin/sh
test_description='WILL_RUN from counts with best fit: random requests and events, each answer the same as without counts'
. "$WT_SRCDIR/t/setup.sh"

# With bestfit=on the choice among nodes is best fit's, in our answer and in the search of select/cons_tres that it is
# compared with.
fit=on,bestfit_tie=${WT_TIE:-pack}
. "$WT_SRCDIR/t/will_run.sh"
ways="cached now later now-refused now-asked future-refused future-asked stock"

test_expect_success 'CR_Core_Memory: random requests and events' '
	cluster_start "pack:2 core:4 pu:2" CR_Core_Memory bf_continue &&
	scontrol update nodename="n[4-15]" availablefeatures=fast activefeatures=fast &&
	scontrol update nodename="n[24-33]" availablefeatures=slow activefeatures=slow && submit_many 60 && soak $ways &&
	test_line_count -gt 3 jobs
'
test_expect_success 'no answer differs, and each way to an answer was taken' '
	all_same && paths_taken $ways
'
test_expect_success 'best fit chose' '
	grep "bestfit: counters: mode=on" "$log" | tail -n 1 >counters && cat counters &&
	chosen=$(sed "s/.* chosen=\([0-9]*\) .*/\1/" counters) && [ "$chosen" -gt 0 ]
'
test_expect_success 'jobs that fit where all cores are not free, and not where they are' '
	busy_decides 2 800 -p pair -n 3 -c 3 --ntasks-per-core=1 --mem-per-cpu=800 &&
	busy_decides 12 4600 -p odd -n 4 --mem-per-cpu=800
'
# n25, which is the lightest, has free cores enough, and memory for two of the three CPUs: best fit leaves the job to Slurm.
test_expect_success 'a node with too little memory for the CPUs that a node must have is among those to choose from' '
	wt_poll 60 quiet && { all_nodes_back || :; } && count && compared=$(figure compared) now=$(figure now) &&
	scontrol update nodename="n[0-39]" weight=2 && scontrol update nodename=n25 weight=1 &&
	job=$(sbatch --parsable -o /dev/null -w n25 -N 1 -n 1 --mem=7100 -t 9 --wrap "sleep 600") &&
	wt_poll 60 state_is "$job" RUNNING &&
	sbatch --test-only -N 1 -n 3 --mem-per-cpu=500 -x "n[1-4,10-19,22-24,26-39]" --wrap true 2>said && cat said &&
	compared_more "$compared" && all_same && [ "$(figure now)" -gt "$now" ]
'
# Slurm begins with the leaf that has the fewest nodes, which is the one with n0 alone, and needs a second one.
test_expect_success 'nodes below one switch where Slurm finds none: best fit'\''s merit, and no mismatch' '
	wt_poll 60 quiet && { all_nodes_back || :; } && scontrol update nodename="n[1-4]" state=drain reason=t &&
	count && left=$(figure left-switches) &&
	{ sbatch --test-only --switches=1@10:00 -n 32 --mem=100 --wrap true || :; } && count &&
	[ "$(figure left-switches)" -gt "${left:-0}" ] && { grep "verify: JobId=[0-9]* will-run" "$log" >out || :; } &&
	wt_empty out
'
test_expect_success 'tie touch, CR_Core, many jobs that end together' '
	windtunnel cluster down w && fit=on,bestfit_tie=touch && cluster_start "pack:2 core:8 pu:1" CR_Core bf_continue &&
	sbatch -o /dev/null --array=1-300 -n 2 -t 9 --wrap "sleep 600" && wt_poll 120 enough_run 300 &&
	sbatch -o /dev/null -N 39 -n 500 -t 3 --wrap true && sbatch -o /dev/null -N 20 --exclusive -t 3 --wrap true &&
	sbatch -o /dev/null -n 300 -t 3 --wrap true && wt_poll 60 any_later && all_same
'
asked() { sbatch --test-only -N 3 --exclusive --wrap true && count; }
asked_more() { asked && [ "$(figure answers)" -gt "$1" ]; }
test_expect_success 'bestfit_will_run=off: nothing is answered from counts of what jobs will give back' '
	sed -i "s/bestfit_report=0/&,bestfit_will_run=off/" "$C/slurm.conf" && count && answers=$(figure answers) &&
	wt_poll 60 asked && [ "$(figure answers)" = "$answers" ] &&
	sed -i "s/,bestfit_will_run=off//" "$C/slurm.conf" && count && wt_poll 60 asked_more "$answers"
'
test_expect_success 'no error of the plugin in any log' '
	grep "error: windtunnel" "$log" | grep -v "verify: JobId=[0-9]* run-now" >out || : && wt_empty out
'
test_done
