# SPDX-License-Identifier: GPL-2.0-or-later
# delays.awk - how long nodes took to begin, to end and to leave the jobs of a run.
#
# awk -F, -f delays.awk DIR/jobs.csv DIR/events.csv DIR/logs/slurmctld.log      (a run folder of 'windtunnel esp')
# Prints three means in seconds (with -v spread=1 also the standard deviations of launch and end, and the number of jobs):
#   launch  from slurmctld's allocation of the nodes to the beginning of the job's run time: slurmstepd's start, the script's
#           start, and the client that it calls
#   end     from the end of the script to slurmctld's note of it
#   epilog  from there to a node's release, as the mean of an exponential distribution: on k nodes the last of which is
#           released after M the sum of M over all jobs is mean x the sum of 1 + 1/2 + ... + 1/k
function seconds(text)
{
	# [2026-11-21T03:25:13.123]
	return mktime(substr(text, 2, 4) " " substr(text, 7, 2) " " substr(text, 10, 2) " " substr(text, 13, 2) " " \
		      substr(text, 16, 2) " " substr(text, 19, 2)) + substr(text, 21, 4)
}
function job_of(text)
{
	sub(/.*JobId=/, "", text)
	return text + 0
}
function deviation(sum, squares)
{
	sum = squares / jobs - (sum / jobs) ^ 2
	return sum > 0 ? sqrt(sum) : 0
}
# A list of nodes, which may hold commas, stands between the first columns and these: they are counted from the end.
FNR == 1 { file++ }
file == 1 && FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = NF - i; next }
file == 1 { run[$1] = $(NF - column["requested_run_time_s"]); count[$1] = $(NF - column["allocated_nodes"]); next }
file == 2 && $2 == "end" { end[$3] = $1 }
file == 2 && $2 == "release" { released[$3]++; if ($1 > last[$3]) last[$3] = $1 }
file == 3 && /sched: Allocate JobId=|_start_job: Started JobId=/ { begun[job_of($0)] = seconds($1) }
file == 3 && /_job_complete: JobId=[0-9]+ done/ { told[job_of($0)] = seconds($1) }
END {
	for (job in run) {
		if (!(job in end) || !(job in begun) || !(job in told))
			continue
		jobs++
		launch += l = end[job] - run[job] - begun[job]
		ended += e = told[job] - end[job]
		launch2 += l * l
		ended2 += e * e
		if (released[job] != count[job] || count[job] > 64)
			continue
		if (last[job] > told[job])
			epilog += last[job] - told[job]
		for (i = 1; i <= count[job]; i++)
			harmonic += 1 / i
	}
	if (!jobs || !harmonic) {
		print "delays.awk: no job with all of its events" >"/dev/stderr"
		exit 1
	}
	if (spread)
		printf "%.6f %.6f %.6f %.6f %.6f %d\n", launch / jobs, deviation(launch, launch2),
			ended / jobs, deviation(ended, ended2), epilog / harmonic, jobs
	else
		printf "%.4f %.4f %.4f\n", launch / jobs, ended / jobs, epilog / harmonic
}
