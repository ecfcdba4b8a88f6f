# SPDX-License-Identifier: GPL-2.0-or-later
# bench/placement.jq - the tables of bench/placement, from its records (an array, ordered by policy as they are to be shown).
include "stats";

def fixed($digits): . * pow(10; $digits) | round / pow(10; $digits);
def triple($key): [range(3) as $i | map(.[$key][$i]) | mean | fixed(1) | tostring] | join("/");

# Of the records that know it: "228/228/228 (8)".
def offered: map(select(.offered != null)) | if length == 0 then "" else "\(triple("offered")) (\(length))" end;

# Makespan of a policy's records against another policy's, in per cent, seed by seed: "+1.2 (+-0.4)".
def against($others):
	(map(. as $a | $others[] | select(.seed == $a.seed) | ($a.makespan_s / .makespan_s - 1) * 100)) as $d
	| if ($d | length) == 0 or .[0].policy == $others[0].policy then ""
	  else ($d | mean | fixed(2)) as $m | "\(if $m >= 0 then "+" else "" end)\($m)"
	  	+ (($d | ci95) as $ci | if $ci == null then "" else " (+-\($ci | fixed(2)))" end) end;

# Table 2 of the paper (Georgiou and Hautreux, 4.2; Slurm 2.4): jobs on switches / lineboards / both, and makespan.
def paper: {none: "53/64/21, 1369", flat: "13/31/6, 1323", medium: "180/120/120, 1370", fine: "113/209/106, 1315"}[.] // "";

def policies: reduce .[] as $r ([]; if index([$r.policy]) then . else . + [$r.policy] end);

def table:
	. as $all | [$all[] | select(.policy == "fine")] as $fine | [$all[] | select(.policy == "bestfit")] as $bestfit
	| all(.[]; .variant == "light" and .unit == "nodes") as $paper
	| "| policy | n | absolute S/L/both | relative S/L/both |" +
	  " of what was offered (n) | both, least-most | makespan s (sd) |" +
	  " against fine, % | against best fit, % | utilisation % | mean wait s | held back |"
	  	+ (if $paper then " paper: S/L/both, s |" else "" end),
	  "|---|---|---|---|---|---|---|---|---|---|---|---|" + (if $paper then "---|" else "" end),
	  (policies[] as $p | [$all[] | select(.policy == $p)]
	  | "| \($p) | \(length) | \(triple("absolute")) | \(triple("relative")) | \(offered) |"
	  + " \(map(.absolute[2]) | "\(min)-\(max)")"
	  + " | \(map(.makespan_s) | "\(mean | fixed(0))" +
	      "\(sd as $sd | if $sd == null then "" else " (\($sd | fixed(0)))" end)")"
	  + " | \(against($fine)) | \(against($bestfit)) | \(map(.utilization * 100) | mean | fixed(1)) |"
	  + " \(map(.wait_mean_s) | mean | fixed(0))"
	  + " | \(map(.held_jobs) | mean | fixed(1)) |" + (if $paper then " \($p | paper) |" else "" end));

# Of a record's jobs on the fewest switches of both levels, absolutely.
def both: .absolute[2];
def release: (.slurm // "?") | sub("^slurm(-wlm)? "; "");
def releases: reduce (.[] | release) as $r ([]; if index([$r]) then . else . + [$r] end);
def with_ci: "\(mean | fixed(1))" + (ci95 as $ci | if $ci == null then "" else " (+-\($ci | fixed(1)))" end);

# A figure of these records less that of others', seed by seed: "-0.4 (+-1.2)".
def less($others; figure):
	[.[] as $a | $others[] | select(.seed == $a.seed) | ($a | figure) - figure]
	| if length == 0 then "" else with_ci end;

# A row for each policy and release, and how it differs from the first release.
def table_releases:
	. as $all | releases as $releases | "less \($releases[0])'s" as $less
	| "| policy | Slurm | n | absolute S/L/both | relative S/L/both | of what was offered (n) | jobs on both |" +
	  " \($less) | makespan s | \($less) | mean wait s |",
	  "|---|---|---|---|---|---|---|---|---|---|---|",
	  (policies[] as $p | $releases[] as $r | [$all[] | select(.policy == $p and release == $r)] | select(length > 0)
	  | (if $r == $releases[0] then [] else [$all[] | select(.policy == $p and release == $releases[0])] end) as $first
	  | "| \($p) | \($r) | \(length) | \(triple("absolute")) | \(triple("relative")) | \(offered) |"
	  + " \(map(both) | with_ci) | \(less($first; both)) |"
	  + " \(map(.makespan_s) | with_ci) | \(less($first; .makespan_s)) | \(map(.wait_mean_s) | mean | fixed(1)) |");

def csv:
	"policy,seed,absolute_1,absolute_0,absolute_all,relative_1,relative_0,relative_all,makespan_s," +
	"utilization_pct,wait_mean_s,wait_max_s,held_jobs,jobs,controller_cpu_s,wall_s,commit",
	(.[] | [.policy, .seed, .absolute[], .relative[], .makespan_s, .utilization * 100, .wait_mean_s, .wait_max_s,
		.held_jobs, .jobs, .controller_cpu_s, .wall_s, .commit] | map(tostring) | join(","));
