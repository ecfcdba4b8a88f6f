# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034	# what the script that sources it has set, and will use
# bench/lib.sh - what bench/nodes needs to measure: records, clusters, processes.  Sourced; $work is a private folder,
# $bench that of this file.

now() { date +%s.%N; }
load() { cut -d' ' -f1 /proc/loadavg; }
elapsed() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b - a }'; }
quotient() { awk -v a="$1" -v b="$2" -v f="${3:-%.3f}" 'BEGIN { printf f, a / b }'; }
progress() { printf '%s  %s\n' "$(date +%T)" "$*" >&2; }

machine_line() {
	printf '%s, %s CPUs, %s, Linux %s, %s, %s; real clock' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
		head -n 1)" \
		"$(nproc)" "$(awk '/^MemTotal/ { printf "%d GiB", $2 / 1048576 }' /proc/meminfo)" "$(uname -r)" \
		"$(slurmctld -V)" "$(windtunnel --version)"
}

# record WHAT BACKEND NODES VALUE UNIT: one measurement, at the load average that cluster_up, or the caller, saw before it.
record() {
	printf '{"what": "%s", "backend": "%s", "nodes": %s, "value": %s, "unit": "%s", "load_average": %s}\n' \
		"$1" "$2" "$3" "$4" "$5" "$load_before" >>"$work/records"
	printf '%-22s %-8s %6s nodes  %10s %-7s (load %s)\n' "$1" "$2" "$3" "$4" "$5" "$load_before" >&2
}

# ---- clusters ----

# cluster_up BACKEND NODES OPTION...: sets up_s, dir, and SLURM_CONF for Slurm's commands.
cluster_up() {
	backend=$1 nodes=$2
	shift 2
	load_before=$(load)
	up_begin=$(now)
	dir=$WINDTUNNEL_STATE/$name
	windtunnel cluster up "$name" --backend "$backend" --nodes "$nodes" "$@" >"$work/up.log" 2>&1 || {
		tail -n 5 "$work/up.log" >&2
		die "cluster up with $nodes nodes of backend $backend failed"
	}
	up_s=$(elapsed "$up_begin" "$(now)")
	eval "$(windtunnel cluster env "$name")"
}
cluster_down() {
	windtunnel cluster down "$name" >/dev/null || die "cluster down failed"
	unset SLURM_CONF
}

jobs_left() { squeue -h -o %i | wc -l; }
# Every job ended and every node released; $1: seconds.
jobs_wait() {
	wait_end=$(($(date +%s) + $1))
	while [ "$(jobs_left)" -gt 0 ] || [ "$(sinfo -h -t idle -o %D | awk '{ n += $1 } END { print n + 0 }')" \
		-lt "$nodes" ]; do
		[ "$(date +%s)" -lt "$wait_end" ] ||
			die "jobs did not end within $1 s; see squeue and $dir/ctld/slurmctld.log"
		sleep 0.5
	done
}
jobs_cancel() {
	scancel --me --quiet || :	# one that ended meanwhile
	jobs_wait $((120 + nodes / 50))
}

# ---- processes ----

daemon_pid() { jq -r --arg name "$1" '.daemons[] | select(.name == $name) | .pid' "$dir/state.json"; }
node_pids() { if [ "$backend" = slurmd ]; then cat "$dir"/nodes/n*.pid; else daemon_pid vnoded; fi; }
# cpu_s PID...: their CPU time, user and system, and that of their children that have ended.
cpu_s() {
	for process in "$@"; do echo "/proc/$process/stat"; done | xargs cat 2>/dev/null |
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); s += $12 + $13 + $14 + $15 } END { printf "%.2f", s / hz }'
}
# Memory of the nodes' processes in KiB, without what they share with others: libraries, mostly.
nodes_memory_kib() {
	for process in $(node_pids); do echo "/proc/$process/smaps_rollup"; done | xargs cat 2>/dev/null |
	awk '/^Private_(Clean|Dirty):/ { s += $2 } END { print s + 0 }'
}

# ---- statistics ----

# Minimum, median, maximum, mean with the half width of its 95 % interval (Student's t), and number of the records, and
# how real nodes compare with as many virtual ones.
summary_json() {
	jq -s -L "$bench" --arg machine "$machine" --arg date "$(date -u +%FT%TZ)" --arg parts "$parts" 'include "stats";
		. as $all
		| (group_by([.what, .nodes, .backend]) | map({ what: .[0].what, backend: .[0].backend, nodes: .[0].nodes,
		unit: .[0].unit,
			minimum: (map(.value) | min), median: (map(.value) | median), maximum: (map(.value) | max),
			mean: (map(.value) | mean), ci95: (map(.value) | ci95), count: length,
			load_average: (map(.load_average) | add / length) })) as $table
		| { machine: $machine, date: $date, parts: $parts, table: $table,
		    ratios: [ $table[] | select(.backend == "slurmd") as $r | $table[]
			| select(.backend == "virtual" and .what == $r.what and .nodes == $r.nodes and .median > 0)
			| { what, nodes, slurmd_over_virtual: ($r.median / .median) } ], measurements: $all }' \
				"$work/records"
}
table_print() {
	jq -r '.machine, "\(.date), parts: \(.parts)", ""' "$1"
	printf '%-19s %-8s %6s  %9s %9s %9s %9s %9s  %-7s %2s %5s\n' what backend nodes minimum median maximum mean \
		'95 % +-' unit n load
	jq -r '.table[] | [.what, .backend, .nodes, .minimum, .median, .maximum, .mean, .ci95, .unit, .count,
		.load_average] | @tsv' "$1" |
	awk -F'\t' '{ printf "%-19s %-8s %6s  %9.4g %9.4g %9.4g %9.4g %9s  %-7s %2d %5.1f\n", $1, $2, $3, $4, $5, $6, $7,
		$8 == "" ? "" : sprintf("%.3g", $8), $9, $10, $11 }'
	jq -e '.ratios | length > 0' "$1" >/dev/null || return 0
	printf '\n%-22s %6s  %s\n' 'ratio of medians' nodes 'real / virtual'
	jq -r '.ratios[] | [.what, .nodes, .slurmd_over_virtual] | @tsv' "$1" |
		awk -F'\t' '{ printf "%-22s %6s  %.3g\n", $1, $2, $3 }'
}
