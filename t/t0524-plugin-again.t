#!/bin/sh
test_description='best fit inside slurmctld: a job that Slurm refuses on our nodes after the choice starts on its own'
. "$WT_SRCDIR/t/setup.sh"

# 4 nodes of 4 sockets, 8 CPUs and 8192 MiB below 2 leaves.  CR_Socket: two tasks are spread over two sockets, and with
# --mem-per-cpu get the memory for their 4 CPUs; the choice looks for 2 CPUs with their memory.  The second leaf is the
# tighter one, which best fit takes, and has memory for 2 CPUs.
log="$WINDTUNNEL_STATE/a/ctld/slurmctld.log"
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { windtunnel cluster exec a -- "$@"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %T)" = RUNNING ]; }
counted() { counters_log && [ "$(counter "$1")" -gt 0 ]; }

test_expect_success 'both nodes of a leaf have a job, and memory for one socket more' '
	windtunnel topology generate fattree --arity 2,2 -o tree.conf &&
	windtunnel cluster up a --nodes 4 --shape "pack:4 core:2 pu:1" --memory 8192 --plugin bestfit --topology tree.conf \
		--set SchedulerParameters=bestfit=on,bestfit_tie=pack,bestfit_report=1 \
		--set SelectTypeParameters=CR_Socket_Memory --quiet &&
	for n in n2 n3; do
		job=$(in_cluster sbatch --parsable -o /dev/null -w $n -n 1 --mem=4000 --wrap "sleep 1000") &&
		wt_poll 120 running "$job" || return 1
	done
'
test_expect_success 'a job that would get two sockets there starts on the other leaf' '
	job=$(in_cluster sbatch --parsable -o /dev/null -n 2 --mem-per-cpu=2000 --wrap "sleep 1000") &&
	wt_poll 120 running "$job" && in_cluster squeue -h -j "$job" -o %N >node && grep -x "n[01]" node &&
	wt_poll 60 counted again && [ "$(counter again-started)" -gt 0 ]
'
test_done
