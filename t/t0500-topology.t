#!/bin/sh
test_description='windtunnel topology: trees, choices and scores, without any daemon'
. "$WT_SRCDIR/t/setup.sh"

# two intermediate switches of two leaves of four nodes
cat >"$WT_TMP/tree.conf" <<'END'
SwitchName=a Nodes=n[0-3]
SwitchName=b Nodes=n[4-7]
SwitchName=c Nodes=n[8-11]
SwitchName=d Nodes=n[12-15]
SwitchName=x Switches=a,b
SwitchName=y Switches=c,d
SwitchName=r Switches=x,y
END

test_expect_success 'generate curie is the machine of Georgiou and Hautreux 2012' '
	windtunnel topology generate curie >curie.conf &&
	test "$(grep -c "^SwitchName=leaf" curie.conf)" = 280 &&
	test "$(grep -c "^SwitchName=s1_" curie.conf)" = 16 &&
	grep -q "^SwitchName=leaf0 Nodes=n\[0-17\]$" curie.conf &&
	grep -q "^SwitchName=leaf279 Nodes=n\[5022-5039\]$" curie.conf &&
	grep -q "^SwitchName=s1_15 Switches=leaf\[270-279\]$" curie.conf &&
	test_line_count = 297 curie.conf
'
test_expect_success 'what was written is read back as the same tree' '
	windtunnel topology show curie.conf --json >a && windtunnel topology show curie --json >b && cmp a b
'
test_expect_success 'medium and flat topologies are coarser copies' '
	windtunnel topology generate curie --coarsen 1 >medium &&
	test_line_count = 17 medium && grep -q "^SwitchName=s1_0 Nodes=n\[0-323\]$" medium &&
	windtunnel topology generate curie --coarsen 2 >flat &&
	echo "SwitchName=root Nodes=n[0-5039]" >want && cmp want flat
'
test_expect_success 'generate fattree: uneven, pruned, into a file' '
	windtunnel topology generate fattree --arity 4/2,3 --link-speed 2,1 --prefix c -o f.conf --json >out &&
	grep -q "\"nodes\": 10" out &&
	grep -q "^SwitchName=leaf1 Nodes=c\[4-5\] LinkSpeed=2$" f.conf
'
test_expect_success 'wrong use is refused with status 2, a wrong file with 1 and its line' '
	test_expect_code 2 windtunnel topology 2>err &&
	test_expect_code 2 windtunnel topology nonsense 2>err && grep -q nonsense err &&
	test_expect_code 2 windtunnel topology generate 2>err &&
	test_expect_code 2 windtunnel topology generate fattree 2>err && grep -q -- --arity err &&
	test_expect_code 2 windtunnel topology generate curie --arity 3 2>err &&
	test_expect_code 2 windtunnel topology generate curie --nodes many 2>err &&
	test_expect_code 1 windtunnel topology generate fattree --arity 0,1 2>err &&
	test_expect_code 1 windtunnel topology generate curie -o /nonexistent/x 2>err && grep -q /nonexistent/x err &&
	test_expect_code 2 windtunnel topology select curie 2>err &&
	test_expect_code 2 windtunnel topology select curie -n 0 2>err &&
	test_expect_code 1 windtunnel topology select curie -n 9999 2>err && grep -q "5040" err &&
	test_expect_code 1 windtunnel topology select curie -n 1 -p psychic 2>err && grep -q "bestfit-pack" err &&
	test_expect_code 1 windtunnel topology select curie -n 1 --busy x9 2>err && grep -q x9 err &&
	test_expect_code 1 windtunnel topology select curie -n 1 --busy "n[0-4000000000]" 2>err &&
	test_expect_code 1 windtunnel topology show missing.conf 2>err && grep -q missing.conf err &&
	echo "SwitchName=a Switches=a" >loop.conf &&
	test_expect_code 1 windtunnel topology show loop.conf 2>err && grep -q "loop.conf: line 1: switch .a." err &&
	test_expect_code 2 windtunnel topology show curie --at 3 2>err &&
	test_expect_code 2 windtunnel topology simulate curie --seeds 3-1 2>err &&
	test_expect_code 1 windtunnel topology score "$WT_TMP" 2>err && grep -q "topology.conf" err
'
test_expect_success 'every part has --help' '
	for part in generate show select score simulate; do
		windtunnel topology $part --help >out && grep -q "^Usage: windtunnel topology $part" out || return 1
	done &&
	windtunnel topology --help >out && grep -q "^  score " out
'
test_expect_success 'select prefers one switch and full leaves; stock Slurm does not' '
	windtunnel topology select "$WT_TMP/tree.conf" -n 5 --busy "n[0-1,8-10]" -p bestfit -p fine --json >out &&
	grep -q "\"policy\": \"bestfit\", \"nodes\": \"n\[11-15\]\", \"levels\": \[{\"level\": 0, \"switches\": 2," out &&
	windtunnel topology select "$WT_TMP/tree.conf" -n 20 --cpus-per-node 16 --free "n[4-5]=16" --free n6=3 >out &&
	grep -q "n\[4-5\]" out
'
test_expect_success 'show draws fragmentation as text and as SVG' '
	windtunnel topology show "$WT_TMP/tree.conf" --busy "n[0-7,9]" >out &&
	grep -q "^    ##$" out && grep -q "^    2\.$" out && grep -q "^  x: 0 of 8 free, 0 of 2 children idle$" out &&
	windtunnel topology show curie --busy "n[0-99]" --svg pic.svg >out &&
	test_line_count = 0 out && grep -q "<title>leaf0: 0 of 18 free</title>" pic.svg &&
	test "$(grep -c "<title>" pic.svg)" = 280 &&
	if command -v xmllint >/dev/null; then xmllint --noout pic.svg; fi
'

# job: one leaf; two leaves of one switch; five nodes over two switches, though y alone has room; the whole machine
cat >"$WT_TMP/jobs.swf" <<'END'
; MaxNodes: 16
; MaxProcs: 256
1 0 0 10 64 -1 -1 64 -1 -1 1 -1 -1 -1 1 1 -1 -1 n[0-3]
2 0 1 10 64 -1 -1 64 -1 -1 1 -1 -1 -1 1 1 -1 -1 n[4-5,8-9]
3 0 2 10 80 -1 -1 80 -1 -1 1 -1 -1 -1 1 1 -1 -1 n[6-7,10-12]
4 0 50 10 256 -1 -1 256 -1 -1 1 -1 -1 -1 1 1 -1 -1 n[0-15]
5 0 -1 -1 64 -1 -1 64 -1 -1 5 -1 -1 -1 1 1 -1 -1
END
test_expect_success 'score counts optimal placements of an SWF with node lists' '
	windtunnel topology score "$WT_TMP/jobs.swf" -t "$WT_TMP/tree.conf" --json >out 2>err &&
	echo "{\"jobs\": 3, \"levels\": [{\"level\": 0, \"optimal_absolute\": 1, \"optimal_relative\": 1}," \
	     "{\"level\": 1, \"optimal_absolute\": 1, \"optimal_relative\": 1}]," \
	     "\"all_levels\": {\"optimal_absolute\": 1, \"optimal_relative\": 1}," \
	     "\"switches\": [{\"level\": 0, \"touched\": 6, \"least_absolute\": 4, \"least_relative\": 4}," \
	     "{\"level\": 1, \"touched\": 5, \"least_absolute\": 3, \"least_relative\": 3}]}" >want &&
	cmp want out && grep -q "1 jobs never had nodes" err
'
test_expect_success 'show draws a run at a moment' '
	windtunnel topology show "$WT_TMP/tree.conf" --run "$WT_TMP/jobs.swf" --at 0.5 >out &&
	grep -q "^  x: 4 of 8 free" out &&
	windtunnel topology show "$WT_TMP/tree.conf" --run "$WT_TMP/jobs.swf" --at 11.5 >out &&
	grep -q "^r: 11 of 16 free" out
'
test_expect_success 'simulate: best fit reaches all that the free nodes allow, stock does not' '
	windtunnel topology simulate curie --seeds 1-2 -p bestfit -p fine --json >out &&
	sed "s/{\"policy\"/\n&/g" out >rows &&
	grep "\"bestfit\".*\"jobs\": 228.0.*\"all_levels\": {.*\"optimal_relative\": 228.0}" rows &&
	wt_all() { sed -n "s/.*\"$1\".*\"all_levels\": {\"optimal_absolute\": \([0-9]*\).*/\1/p" rows; } &&
	test "$(wt_all bestfit)" -gt 170 && test "$(wt_all fine)" -lt 110 &&
	test "$(grep -o "makespan_s[^,]*" rows | sort -u | wc -l)" = 1
'
test_expect_success 'score and simulate say what no placement can beat, and what a search finds' '
	windtunnel topology score "$WT_TMP/jobs.swf" -t "$WT_TMP/tree.conf" --bound >out 2>err &&
	grep "^all levels *1 *3 *1$" out &&
	windtunnel topology simulate curie --seeds 1 -p bestfit --bound --hindsight 300 --by-size --epilog-msg-time 2000 \
		--backfill-period 30 --wait-completing 6,6 --json >out &&
	jq -e ".policies[0] | .levels[1] as \$l | \$l.optimal_absolute <= \$l.bound_absolute and
		\$l.found_absolute <= \$l.bound_absolute and \$l.found_absolute > 100 and
		.all_levels.optimal_absolute <= .all_levels.bound_absolute and
		([.sizes[].jobs] | add) == .jobs and
		([.sizes[].optimal_absolute[1]] | add) == \$l.optimal_absolute" out &&
	windtunnel topology simulate curie --seeds 1 -p bestfit --bound --hindsight 300 --by-size >out &&
	grep "^bestfit: size " out && grep "^ *2520 " out && grep "^policy .* max1 .* max-all *found1 " out &&
	test_expect_code 2 windtunnel topology simulate curie --hindsight 0 2>err
'
test_expect_success 'the examples of the man page work' '
	sed -n "/^\.SH EXAMPLES/,/^\.SH SEE/p" "$WT_SRCDIR/doc/windtunnel-topology.1" | grep "^windtunnel" |
		tr -d "\\\\" >examples &&
	test_line_count = 4 examples &&
	while read -r line; do sh -c "$line" >out && test -s out || return 1; done <examples
'
test_done
