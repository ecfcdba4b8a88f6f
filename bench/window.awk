# SPDX-License-Identifier: GPL-2.0-or-later
# window.awk - the completing window of one job on all nodes, from slurmctld's log and the Epilogs' own times.
#
# awk -f window.awk -v job=ID -v nodes=N -v message_us=EpilogMsgTime -v boot=B [EPILOGS] LOG
#   LOG      slurmctld.log with DebugFlags=Route at level verbose
#   EPILOGS  lines "NODE UPTIME" that real nodes' Epilogs wrote; B: the time of day at which the uptime was 0
# Prints, in seconds after slurmctld noted the end of the script: the last node's release; the first one's; and, with
# EPILOGS, the first and the last Epilog's time, the last due time of a message, the mean and the greatest time by
# which slurmctld
# took messages later than they were due.  Due is a message at its node's place in the first cycle of nodes x EpilogMsgTime
# that begins after the Epilog's time: _sync_messages_kill and _delay_rpc of slurmd 22.05, req.c.
function seconds(text)
{
	# [2026-11-21T03:25:13.123]
	return mktime(substr(text, 2, 4) " " substr(text, 7, 2) " " substr(text, 10, 2) " " substr(text, 13, 2) " " \
		      substr(text, 16, 2) " " substr(text, 19, 2)) + substr(text, 21, 4)
}
# Slurm counts the time modulo 1000 s, in microseconds.
function due(at, place,    cycle, in_cycle, delay)
{
	if (nodes <= 64)
		return at
	cycle = nodes * message_us / 1e6
	in_cycle = (at % 1000) % cycle
	delay = place * message_us / 1e6 - in_cycle
	return at + (delay < 0 ? delay + cycle : delay)
}
NF == 2 && $1 ~ /^n[0-9]+$/ { epilog[$1] = boot + $2; next }
$2 == "_job_complete:" && $3 == "JobId=" job && $4 == "done" { ended = seconds($1) }
$2 == "ROUTE:" && $3 == "_slurm_rpc_epilog_complete:" && $7 == "JobId=" job {
	sub(/,/, "", $6)
	if (!($6 in release)) {
		release[$6] = seconds($1)
		count++
	}
}
END {
	if (!ended || count != nodes) {
		printf "window.awk: job %s: end %s, %d of %d releases in the log\n", \
			job, ended ? "seen" : "not seen", count, nodes >"/dev/stderr"
		exit 1
	}
	first = 1e12
	for (node in release) {
		if (release[node] > last)
			last = release[node]
		if (release[node] < first)
			first = release[node]
		if (!(node in epilog))
			continue
		told++
		at = due(epilog[node], substr(node, 2) + 0)
		late = release[node] - at
		late_sum += late
		if (late > late_max)
			late_max = late
		if (told == 1 || epilog[node] < epilog_first)
			epilog_first = epilog[node]
		if (epilog[node] > epilog_last)
			epilog_last = epilog[node]
		if (at > due_last)
			due_last = at
	}
	printf "%.3f %.3f", last - ended, first - ended
	if (told == nodes)
		printf " %.3f %.3f %.3f %.3f %.3f", \
			epilog_first - ended, epilog_last - ended, due_last - ended, late_sum / told, late_max
	print ""
}
