#!/bin/sh
test_description='windtunnel report of several runs: the differences of windtunnel compare, and no more is asserted'
. "$WT_SRCDIR/t/setup.sh"

clock="virtual --charge none"	# what a busy machine does to the schedule must not decide what is clear
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then	# which does not go together with a preloaded library
	clock="real --time-scale 0.05"
fi
repeats() {
	windtunnel run --workload burst --jobs 40 --run-time 20 --nodes 8 --clock $clock --repeat 3 \
		--quiet "$@" >out 2>err ||
	{ cat out err; false; }
}
near() {
	perl -e '$d = abs($ARGV[0] - $ARGV[1]); exit($d > $ARGV[2] * (1 + abs $ARGV[1]))' -- "$1" "$2" "${3:-1e-6}" ||
	{ echo "$1 is not $2"; return 1; }
}
# rows PAGE TABLE KEYS: "FIGURE VERDICT VALUE..." of each row of the table that begins so
rows() {
	awk -v table="<table $2" 'index($0, table) { on = 1 } /<\/table>/ { on = 0 } on' "$1" | perl -ne '
		BEGIN { @keys = split / /, shift }
		next unless /<tr data-figure="(\w+)"/;
		my ($figure, %v) = $1;
		$v{$2} = $1 while /<data value="([^"]*)" data-key="(\w+)"/g;
		my $verdict = />(not clear|no interval|equal)</ ? $1 : /<b>clear<\/b>/ ? "clear" : "none";
		$verdict =~ s/ /-/;
		print join(" ", $figure, $verdict, map { $v{$_} // "nan" } @keys), "\n"' "$3" | sort
}
differences() { rows "$1" "class=\"differences\" data-of=\"$2\"" "mean low high a b"; }
# The same from what windtunnel compare says.
cat >wanted.jq <<'EOF_JQ'
def scale: if test("^(utilization|efficiency)$") then 100 elif test("latency|cpu_per_job") then 1000
	elif . == "controller_rss_max_kib" then 1 / 1024 else 1 end;
def verdict: if .difference_ci95 == null then "no-interval" elif .difference == 0 and .difference_ci95 == 0 then "equal"
	elif (.difference | fabs) > .difference_ci95 then "clear" else "not-clear" end;
.[0].figures | to_entries[] | select(.value.difference != null) | .key as $key | .value as $f |
	(if ($key | test("^(utilization|efficiency)$")) or ($f.a > 0 | not) then ($key | scale) else 100 / $f.a end) as $s |
	[$key, ($f | verdict), $f.difference * $s] +
	(if $f.difference_ci95 == null then ["nan", "nan"]
	 else [($f.difference - $f.difference_ci95) * $s, ($f.difference + $f.difference_ci95) * $s] end) +
	[$f.a, $f.b] | join(" ")
EOF_JQ
wanted() { jq -r -f wanted.jq "$1" | sort; }
# same_numbers A B: each line the same words, and numbers that are near
same_numbers() {
	test_line_count = "$(wc -l <"$1")" "$2" && paste -d " " "$1" "$2" | perl -ane '
		my $n = @F / 2;
		for my $i (0 .. $n - 1) {
			my ($x, $y) = @F[$i, $n + $i];
			next if $x eq $y;
			print or last if $x !~ /\d/ || $y !~ /\d/ || abs($x - $y) > 1e-9 * (1 + abs $y);
		}' >differ && wt_empty differ
}
# as_compared PAGE LETTER JSON: its table is what compare says
as_compared() { differences "$1" "$2" >got && wanted "$3" >want && test_line_count -gt 20 got && same_numbers got want; }
# data PAGE NAME CURVE: x and y of a curve, from the CSV of its chart
data() {
	awk -v name="data-name=\"$2.csv\"" 'index($0, name) { on = 1; next } /<\/pre>/ { on = 0 } on' "$1" |
	awk -F, -v of="$3" '$1 == of { print $2, $3 }'
}

test_expect_success 'two variants, three runs of each' '
	repeats --output a && repeats --output b --set SchedulerParameters=defer,batch_sched_delay=9,sched_interval=10 &&
	windtunnel report a b --output ab.html && windtunnel compare --json a b >ab.json && jq -e ".[0].paired" ab.json
'
test_expect_success 'each difference, interval and verdict is that of windtunnel compare' '
	as_compared ab.html B ab.json && grep -q " clear " got && grep -q " not-clear " got
'
test_expect_success 'no sentence asserts what its interval does not' '
	grep -o "<span data-figure=\"[^<]*" ab.html | sed "s/.*data-figure=\"\([^\"]*\)\">/\1 /" >sentences &&
	test_line_count -ge 8 sentences &&
	while read -r figure text; do
		verdict=$(sed -n "s/^$figure \([a-z-]*\) .*/\1/p" got)
		case "$verdict:$text" in
		not-clear:"No clear difference in "* | equal:"No difference at all in "* | clear:B*) : ;;
		*) echo "$figure is $verdict: $text" ;;
		esac
	done <sentences >wrong && wt_empty wrong &&
	grep -q "3 pairs of runs of the same seed, and the 95 % interval" ab.html
'
test_expect_success 'how good both were: makespan, utilisation and mean wait are those of windtunnel compare' '
	grep "<p class=\"levels\">" ab.html | grep -o "data value=\"[^\"]*\"" | sed "s/.*=\"\(.*\)\"/\1/" >got &&
	jq -r ".[0].figures | [.makespan_s, .utilization, .wait_mean_s] | map(.a) + map(.b) | .[]" ab.json >want &&
	test_line_count = 6 want && same_numbers got want
'
test_expect_success 'what was run differently is there, by its option' '
	sed -n "/<table class=\"options\"/,/<\/table>/p" ab.html >options &&
	grep "<th scope=\"row\">set</th><td>–</td><td>SchedulerParameters=defer,batch_sched.*</td>" options &&
	! grep -e ">seed<" -e ">tag<" options
'
test_expect_success 'the area below a curve of utilisation is the CPU time of its runs' '
	for variant in A:a B:b; do
		data ab.html side-busy ${variant%:*} |
		awk "{ if (n++) area += y * (\$1 - x); x = \$1; y = \$2 } END { print area }" >area &&
		jq -s "[.[] | 100 * .utilization * .makespan_s] | add / length" ${variant#*:}/[123]/summary.json >time &&
		near "$(cat area)" "$(cat time)" 1e-4 || return 1
	done
'
# values wait|slowdown THRESHOLD < jobs.csv...: of each job
values() {
	perl -F, -lane '
		BEGIN { ($what, $threshold) = splice @ARGV, 0, 2 }
		if ($F[0] eq "job_id") { @at{@F} = 0 .. $#F; next }
		my $wait = $F[$at{waiting_time}];
		my $run = $F[$at{finish_time}] - $F[$at{starting_time}];
		my $slowdown = ($wait + $run) / ($run > $threshold ? $run : $threshold);
		print $what eq "wait" ? $wait : $slowdown > 1 ? $slowdown : 1' "$@"
}
# A point is between the shares of values below it and up to it.
cat >points.pl <<'EOF_PERL'
open my $in, '<', 'values' or die;
my @v = <$in>;
while (<STDIN>) {
	my ($x, $y) = split;
	my ($below, $to) = map { my $limit = $_; 100 * grep($_ < $limit, @v) / @v } $x - 1e-4, $x + 1e-4;
	print if $y > $to + 1e-4 || $y < $below - 1e-4;
}
EOF_PERL
test_expect_success 'the curves of waits and slowdowns are of the jobs of all runs' '
	for variant in A:a B:b; do for what in wait slowdown; do
		values $what "$(jq .bounded_slowdown_threshold_s a/1/summary.json)" ${variant#*:}/[123]/jobs.csv >values &&
		data ab.html side-cdf-$what ${variant%:*} >points && test_line_count = 120 values &&
		test_line_count = 121 points &&
		perl points.pl <points >wrong && wt_empty wrong || return 1
	done; done
'
test_expect_success 'variants are told apart by dash, and not by colour alone' '
	grep "<figure class=\"chart[^>]*id=\"side-busy\"" ab.html | grep -q "class=\"c c0\".*class=\"c c1\"" &&
	grep -o "\.c[0-4] { stroke: var(--c[0-4]); stroke-dasharray: [^;]*" ab.html | sed "s/.*: //" | sort -u >dashes &&
	test_line_count = 4 dashes
'
test_expect_success 'one run of each: differences without an interval, and the page says so' '
	windtunnel report a/1 b/1 --output one.html && windtunnel compare --json a/1 b/1 >one.json &&
	as_compared one.html B one.json &&
	test "$(cut -d" " -f2 got | sort -u)" = no-interval &&
	grep -q "One run of each shows no interval" one.html && ! grep -q "<b>clear" one.html
'
test_expect_success 'other seeds are not paired' '
	repeats --output c --seed 70 && windtunnel report a c --output ac.html && windtunnel compare --json a c >ac.json &&
	jq -e ".[0].paired | not" ac.json && as_compared ac.html B ac.json && grep -q "3 and 3 runs, not paired" ac.html
'
test_expect_success 'another workload is not compared, and the page says why; the others are' '
	windtunnel run --workload burst --jobs 3 --run-time 1 --nodes 8 --clock $clock --quiet --output other >out 2>err &&
	windtunnel report a other b --output aob.html && test_must_fail windtunnel compare a other 2>err &&
	grep -F "B is not compared with A. windtunnel compare says: $(sed "s/^windtunnel compare: //" err)" aob.html &&
	differences aob.html B >got && wt_empty got && differences aob.html C >got && test_line_count -gt 20 got &&
	data aob.html side-busy B >curve && wt_empty curve &&
	data aob.html side-busy C >curve && test_line_count -gt 20 curve
'
cat >repeats.jq <<'EOF_JQ'
[.[] | to_entries[] | select(.value | type == "number")] | group_by(.key)[] | [.[].value] as $v | ($v | add / 3) as $mean |
	($v | map((. - $mean) * (. - $mean)) | add / 2 | sqrt) as $sd |
	(4.302652729749462 * $sd / (3 | sqrt)) as $half |
	[.[0].key, "none", $mean, $sd, $mean - $half, $mean + $half, ($v | min), ($v | max)] | join(" ")
EOF_JQ
test_expect_success 'runs of one folder: means and intervals, without a comparison' '
	windtunnel report a --output a.html && rows a.html "class=\"repeats\"" "mean sd low high min max" >got &&
	test_line_count -gt 20 got && cut -d" " -f1 got >keys &&
	jq -s -r -f repeats.jq a/[123]/summary.json | sort | join keys - >want && same_numbers got want
'
test_expect_success 'a folder whose name is markup does no harm' '
	evil="$WT_TMP/<img src=x onerror=alert(1)>" && cp -R b "$evil" && windtunnel report a "$evil" --output evil.html &&
	grep -q "&lt;img src" evil.html && ! grep -q "<img" evil.html
'
test_done
