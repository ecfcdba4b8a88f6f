#!/bin/sh
test_description='windtunnel report: a page whose figures are those of the run, whatever the run is called'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/browse.sh"

command -v python3 >/dev/null && test_set_prereq PYTHON
clock="virtual --charge none"
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then	# which does not go together with a preloaded library
	clock="real --time-scale 0.02"
fi
run="$WT_TMP/run"

# figures PAGE: "KEY VALUE" of each figure that a program can read again
figures() { grep -o '<data value="[^"]*" data-key="[^"]*"' "$1" | sed 's/<data value="\(.*\)" data-key="\(.*\)"/\2 \1/'; }
# waits PAGE NAME: rows of the table by NAME, cells divided by |, numbers as a program reads them
waits() {
	awk -v by="$2" '/<table class="waits"/ { on = index($0, "data-by=\"" by "\"") }
		/<\/table>/ { on = 0 }
		on && /<th scope="row">/' "$1" |
	sed 's/<\/t[hd]><td>/|/g; s/<data value="\([^"]*\)">[^<]*<\/data>/\1/g; s/<[^>]*>//g'
}
near() {
	perl -e '$d = abs($ARGV[0] - $ARGV[1]); exit($d > $ARGV[2] * (1 + abs $ARGV[1]))' -- "$1" "$2" "${3:-1e-6}" || {
		echo "$1 is not $2"
		return 1
	}
}

test_expect_success 'a run, and its page beside the other results' '
	windtunnel esp --variant light --nodes 32 --clock $clock --quiet --output "$run" >out 2>err || {
		cat out err; false
	} &&
	windtunnel report "$run" >out && echo "report: $run/report.html" >expected && test_cmp expected out &&
	tail -n 1 "$run/report.html" | grep -q "^</html>\$"
'
test_expect_success 'each figure on the page is that of summary.json' '
	figures "$run/report.html" | sort -u >on-page &&
	jq -r "to_entries[] | select(.value | type == \"number\") | [.key, .value] | join(\" \")" \
		"$run/summary.json" >in-summary &&
	sort on-page >a && sort in-summary >b && join a b >both &&
	test_line_count -gt 25 both &&
	while read -r key page summary; do
		near "$page" "$summary" 1e-12 || echo "$key"
	done <both >wrong && wt_empty wrong &&
	for key in makespan_s utilization wait_median_s jobs_completed jobs_total controller_cpu_s ideal_s; do
		grep -q "^$key " both || echo "$key is not on the page"
	done >lacking && wt_empty lacking
'
# The causes of idle time once more, by looking at all jobs in each interval between two events.
cat >losses.pl <<'EOF_PERL'
use strict;
my ($cpus, $file) = @ARGV;
open my $in, '<', $file or die;
my @names = split /,/, scalar <$in>;
chomp @names;
my (@jobs, %times, $begin);
while (<$in>) {
	chomp;
	my (@fields, %j);
	push @fields, defined $1 ? $1 : $2 while /\G(?:"([^"]*)"|([^,]*))(?:,|$)/gc && @fields < @names;
	@j{@names} = @fields;
	next if $j{starting_time} eq '' || $j{finish_time} eq '';
	$j{in} = $j{submission_time} + ($j{submit_latency_s} || 0);
	$j{in} = $j{starting_time} if $j{in} > $j{starting_time};
	$j{out} = $j{release_time_s} eq '' ? $j{finish_time} : $j{release_time_s};
	my $span = $j{out} - $j{finish_time};
	$j{completes} = 0;
	$j{completes} = $j{allocated_cpus} / $j{allocated_nodes} * $j{completing_node_s} / $span
		if $span > 0 && $j{completing_node_s} ne '';
	$times{$_} = 1 for grep { $_ >= 0 } @j{qw(in starting_time finish_time out)};
	push @jobs, \%j;
}
my ($end, $used, %lost) = (0, 0);
for (@jobs) {
	$end = $_->{finish_time} if $_->{finish_time} > $end;
	$used += $_->{allocated_cpus} * ($_->{finish_time} - $_->{starting_time});
}
my $ramped;
my @at = sort { $a <=> $b } 0, grep { $_ <= $end } keys %times;
for my $i (0 .. $#at - 1) {
	my ($from, $to) = @at[$i, $i + 1];
	my $middle = ($from + $to) / 2;
	my ($busy, $completing) = (0, 0);
	for (@jobs) {
		$busy += $_->{allocated_cpus} if $_->{starting_time} < $middle && $middle < $_->{finish_time};
		$completing += $_->{completes} if $_->{finish_time} < $middle && $middle < $_->{out};
	}
	my @waits = grep { $_->{in} < $middle && $middle < $_->{starting_time} } @jobs;
	my ($next) = sort { $a->{starting_time} <=> $b->{starting_time} || $a->{job_id} <=> $b->{job_id} }
		grep { $_->{starting_time} > $middle } @jobs;
	my $idle = $cpus - $busy;
	$ramped ||= $busy >= $used / $end - 1e-9;
	$completing = $idle if $completing > $idle;
	my $free = $idle - $completing;
	my $drains = $next && $next->{cpus} >= 0.9 * $cpus && $next->{in} < $middle && $next->{allocated_cpus} > $free;
	my $cause = !$ramped ? 'start'
		: $drains ? 'drain for a large job'
		: !@waits ? ($next ? 'no job waited' : 'tail')
		: (grep { $_->{cpus} <= $free } @waits) ? 'a waiting job fitted' : 'no waiting job fitted';
	$lost{'completing nodes'} += $completing * ($to - $from);
	$lost{$cause} += $free * ($to - $from);
	$lost{'idle_points'} += $idle * ($to - $from);
}
printf "%s\t%.9f\n", $_, 100 * $lost{$_} / $cpus / $end for sort grep { $lost{$_} > 1e-9 } keys %lost;
EOF_PERL
test_expect_success 'the causes of idle time are those that another script finds, and with the utilisation they are 100 %' '
	perl losses.pl $((32 * 16)) "$run/jobs.csv" >losses && test_line_count -gt 4 losses && cat losses &&
	while IFS="	" read -r cause points; do
		page=$(figures "$run/report.html" | sed -n "s/^$cause \([-0-9.e+]*\)\$/\1/p" | sort -u) &&
		near "$page" "$points" 1e-5 || echo "$cause: on the page $page, not $points"
	done <losses >wrong && wt_empty wrong &&
	idle=$(awk -F"\t" "\$1 == \"idle_points\" { print \$2 }" losses) &&
	near "$(jq "100 * (1 - .utilization)" "$run/summary.json")" "$idle" 1e-5
'
test_expect_success 'the first sentences name the causes that cost most: each as the table has it, none twice' '
	grep "<p class=\"loss\">" "$run/report.html" >loss && sed "s/<[^>]*>//g" loss &&
	grep -o "data-key=\"next_loss_points\"" loss >next || : &&
	perl -ne "BEGIN { \$/ = undef } my %v = reverse m{<data value=\"([^\"]*)\" data-key=\"(\w+)\"}g;
		my \$next = \$v{next_loss_points} // exit 0; open my \$in, q(<), q(losses) or die;
		my %lost = map { split /\t/ } split /\n/, <\$in>; delete \$lost{idle_points};
		my @sorted = sort { \$b <=> \$a } values %lost;
		exit !(\$next >= 0.9999 * \$sorted[0] / 2 && grep { abs(\$_ - \$next) < 1e-4 } @sorted[1, 2])" loss
'
test_expect_success 'figures that a run does not have are named in one line, and have no row' '
	sed -n "/<table class=\"figures\"/,/<\/table>/p" "$run/report.html" >table && ! grep "not known" table &&
	grep "^<p class=\"none\">Not known of this run: .*termination throughput.*\.</p>\$" "$run/report.html"
'
test_expect_success 'the waits by class are those of jobs.csv' '
	waits "$run/report.html" class | cut -d"|" -f1,2,4,7 | sort >on-page && test_line_count = 14 on-page &&
	perl -F, -lane "
		if (\$. == 1) { @at{@F} = 0 .. \$#F; next }
		push @{\$w{\$F[\$at{profile}]}}, \$F[\$at{waiting_time}];
		END { for (sort keys %w) {
			@s = sort { \$a <=> \$b } @{\$w{\$_}};
			\$m = (\$s[\$#s / 2] + \$s[(\$#s + 1) / 2]) / 2;
			printf qq(%s|%d|%.3f|%.3f\n), \$_, scalar @s, \$m, \$s[-1] } }" "$run/jobs.csv" >wanted &&
	awk -F"|" "{ printf \"%s|%d|%.3f|%.3f\n\", \$1, \$2, \$3, \$4 }" on-page >got && test_cmp wanted got
'
# recomputed PAGE RUN: t/check-page.py computes the page's charts and tables anew
recomputed() {
	python3 "$WT_SRCDIR/t/check-page.py" --except scatter --except placement-times "$1" "$2" >"$WT_TMP/recomputed" ||
		{ cat "$WT_TMP/recomputed"; return 1; }
}
test_expect_success PYTHON 'charts, distributions, rates, controller, waits: recomputed from jobs.csv and series.csv' '
	recomputed "$run/report.html" "$run" && cat "$WT_TMP/recomputed" &&
	for what in "points of busy" "points of queue running" "points of cdf-slowdown" "points of cdf-wait-size" \
		"points of rates ended" "points of controller-cpu" "rows of waits by class" "rows of losses" \
		"longest pieces of losses" "rows of figures" "rows of what is said of losses"; do
		grep -q "^[1-9][0-9]* $what\$" "$WT_TMP/recomputed" || { echo "nothing: $what"; return 1; }
	done
'
made() { "$WT_BUILDDIR/harness/page/bench_run" --jobs 700 --nodes 24 "$@" >/dev/null; }	# the last option counts
test_expect_success PYTHON 'so are waits by partition, account, user and QOS, and distributions of many jobs' '
	made "$WT_TMP/made" && windtunnel report "$WT_TMP/made" && recomputed "$WT_TMP/made/report.html" "$WT_TMP/made" &&
	for what in partition account user QOS; do
		grep -q "^[1-9][0-9]* rows of waits by $what\$" "$WT_TMP/recomputed" || { echo "nothing: $what"; return 1; }
	done && grep "^601 points of cdf-turnaround\$" "$WT_TMP/recomputed"
'
test_expect_success PYTHON 'so are curves that are thinned: of each part of the time the least, the greatest and the last' '
	made --jobs 3000 --nodes 100 "$WT_TMP/long" && windtunnel report "$WT_TMP/long" &&
	recomputed "$WT_TMP/long/report.html" "$WT_TMP/long" && grep "^4 thinned curves\$" "$WT_TMP/recomputed" &&
	grep "^[1-9][0-9]* longest pieces of losses\$" "$WT_TMP/recomputed"
'
test_expect_success PYTHON 'a job that ends at the very end of the last part of the rates counts there' '
	cp -R "$WT_TMP/made" "$WT_TMP/edge" &&
	sed -n "1p; 2s/143\.256000/120.000000/gp" "$WT_TMP/made/jobs.csv" >"$WT_TMP/edge/jobs.csv" &&
	grep -q "120\.000000" "$WT_TMP/edge/jobs.csv" && windtunnel report "$WT_TMP/edge" &&
	recomputed "$WT_TMP/edge/report.html" "$WT_TMP/edge"
'
# noticed CHANGE FAULT FILE [FOLDER]: the check finds FAULT when FILE, the page or a copy of jobs.csv, was changed so
noticed() {
	from=${4:-$run}
	rm -rf spoilt && mkdir spoilt &&
	cp "$from/report.html" "$from/jobs.csv" "$from/series.csv" "$from/summary.json" spoilt &&
	sed -i "$1" "spoilt/$3" && ! cmp -s "spoilt/$3" "$from/$3" || { echo "nothing is changed: $1"; return 1; }
	! recomputed spoilt/report.html spoilt >/dev/null && grep "^fault: $2" "$WT_TMP/recomputed" ||
		{ echo "not noticed: $1"; cat "$WT_TMP/recomputed"; return 1; }
}
test_expect_success PYTHON 'a number that was changed on the page, or in the folder, is noticed' '
	for key in busy queue cdf-submission cdf-wait cdf-turnaround cdf-slowdown controller-cpu; do
		noticed "/data-name=\"run1-$key.csv\"/,/<\/pre>/ s/,\([0-9.]*[1-9][0-9.]*\)\$/,1\1/" "$key" \
			report.html || return 1
	done &&
	noticed "/data-name=\"run1-rates-chart.csv\"/,/<\/pre>/ s/^\(ended,.*,\)\([0-9.]*[1-9][0-9.]*\)\$/\11\2/" \
		"rates ended" report.html &&
	noticed "/data-by=\"class\"/,/<\/table>/ s/<data value=\"/&1/3" "waits by class" report.html &&
	noticed "/data-by=\"class\"/,/<\/table>/ s/\">[1-9][0-9]*</\">12345</" "shown as .12345" report.html &&
	noticed "s/value=\"\([^\"]*\" data-key=\"wait_median_s\"\)/value=\"1\1/" "figures: wait_median_s" report.html &&
	noticed "s/value=\"\([^\"]*\" data-key=\"fitted_points\"\)/value=\"1\1/" "fitted_points" report.html &&
	noticed "5s/,light-esp,[A-Z],/,light-esp,Y,/" "waits by class" jobs.csv &&
	noticed "9s/,COMPLETED_SUCCESSFULLY,/&1/" "busy" jobs.csv &&
	noticed "9,12s/^\([0-9.]*,\)/1\1/" "controller-cpu" series.csv
'
test_expect_success PYTHON 'so is another time of the longest piece of a loss: in the table, in the sentence, in the chart' '
	noticed "/<table class=\"losses\"/,/<\/table>/ { />a waiting job/ s/>[0-9]*\(:[0-9:]* to \)/>99\1/ }" \
		"longest piece of .a waiting job fitted" report.html &&
	noticed "/<p class=\"loss\">/ s/from \([0-9]*:[0-9]*\) to [0-9:]*/from \1 to 59:59/" \
		"sentence about the largest piece" report.html &&
	noticed "/<p class=\"loss\">/ s/\"[0-9.]*\" \(data-key=\"largest_piece_points\"\)/\"7\" \1/" \
		"sentence about the largest piece" report.html &&
	noticed "s/\(<rect class=\"box\" x=\"\)\([0-9]*\)\"/\11\2\"/" "box of the largest piece" report.html
'
# nth CHART CURVE N COMMAND: sed that does COMMAND to the N-th point of a curve
nth() { printf "%s\n" "/data-name=\"run1-$1.csv\"/,/<\/pre>/ { /^$2,/ { x; s/^/x/; /^x\{$3\}\$/ { x; $4; x }; x } }"; }
test_expect_success PYTHON 'so is a single point of a thinned curve that is another one, or is not there' '
	for n in 300 700 1100; do
		noticed "$(nth busy busy $n "s/,[0-9.]*\$/,33.125/")" "busy: 33.125 at .* is no point of the run" \
			report.html "$WT_TMP/long" &&
		noticed "$(nth busy busy $n "s/\(,[0-9]*\)\([0-9.]*,\)/\11\2/")" "busy" report.html "$WT_TMP/long" ||
			return 1
	done &&
	noticed "/data-name=\"run1-queue.csv\"/,/<\/pre>/ { /^waiting,/ { x; s/^/x/; /^x\{400,403\}\$/ { x; d }; x } }" \
		"queue waiting: from .* is not there" report.html "$WT_TMP/long" &&
	noticed "1500s/,COMPLETED_SUCCESSFULLY,/&9/" "busy" jobs.csv "$WT_TMP/long"
'
# What jobs waited for: hours, and jobs, of each reason; then the hours of which no reason was seen.
cat >pending.pl <<'EOF_PERL'
use strict;
my (%at, $all, %wait, %jobs);
while (<STDIN>) {
	chomp;
	s/"([^"]*)"/$1 =~ tr{,}{;}r/ge;
	my @f = split /,/, $_, -1;
	if (!%at) { @at{@f} = 0 .. $#f; next }
	$all += $f[$at{waiting_time}];
	for (split /;/, $f[$at{pending_times}]) {
		next if !/(.*)=(.*)/;
		$wait{$1} += $2;
		$jobs{$1}++;
	}
}
for (sort keys %wait) {
	printf "%s %.4f %d\n", $_, $wait{$_} / 3600, $jobs{$_};
	$all -= $wait{$_};
}
printf "not seen by any look %.4f\n", $all / 3600;
EOF_PERL
cat >pending-rows.pl <<'EOF_PERL'
while (<STDIN>) {
	my ($name) = /<th scope="row">(.*?)<\/th>/ or next;
	my %v;
	$v{$2} = $1 while /<data value="([^"]*)" data-key="(\w+)"/g;
	printf exists $v{jobs} ? "%s %.4f %d\n" : "%s %.4f\n", $name, $v{wait_h}, $v{jobs};
}
EOF_PERL
test_expect_success 'the waiting time by reason is the sum of pending_times, and with what no look saw it is all waiting' '
	perl pending.pl <"$run/jobs.csv" | sort >wanted && test_line_count -gt 1 wanted &&
	sed -n "/<table class=\"pending\"/,/<\/table>/p" "$run/report.html" | perl pending-rows.pl | sort >got &&
	test_cmp wanted got
'
cat >gpu-time.pl <<'EOF_PERL'
while (<STDIN>) {
	chomp;
	s/"([^"]*)"/$1 =~ tr{,}{;}r/ge;
	my @f = split /,/, $_, -1;
	if (!%at) { @at{@f} = 0 .. $#f; next }
	$sum += 2 * ($f[$at{finish_time}] - $f[$at{starting_time}]);
}
print "$sum\n";
EOF_PERL
test_expect_success 'GPUs that jobs had are drawn where there are any' '
	! grep -q "id=\"run1-gpus\"" "$run/report.html" && cp -R "$run" "$WT_TMP/gpus" &&
	perl -i -pe "s/,\d*,([^,]*,[^,]*)\$/,2,\$1/ if \$. > 1" "$WT_TMP/gpus/jobs.csv" &&
	windtunnel report "$WT_TMP/gpus" &&
	awk "/data-name=\"run1-gpus.csv\"/ { on = 1; next } /<\/pre>/ { on = 0 } on" "$WT_TMP/gpus/report.html" |
	awk -F, "NR > 1 { area += y * (\$2 - x) } { x = \$2; y = \$3 } END { printf \"%.6f\n\", area }" >area &&
	perl gpu-time.pl <"$run/jobs.csv" >wanted && near "$(cat area)" "$(cat wanted)" 1e-5 &&
	{ ! test_have_prereq PYTHON || recomputed "$WT_TMP/gpus/report.html" "$WT_TMP/gpus"; }
'
test_expect_success 'what slurmctld spent on messages is what summary.json says' '
	sed -n "/<table class=\"costs\"/,/<\/table>/p" "$run/report.html" | grep "^<tr>" |
	perl -lne "print join q( ), /<th scope=.row.>(\w+)<.*?value=.([^\"]+).*?value=.([^\"]+)/" >got &&
	jq -r ".rpc_costs[:12][] | [.type, .count, .total_us] | join(\" \")" "$run/summary.json" >wanted &&
	test_line_count -gt 4 wanted && test_cmp wanted got
'
test_expect_success 'the area below the utilisation chart is the utilisation' '
	awk "/data-name=\"run1-busy.csv\"/ { on = 1; next } /<\/pre>/ { on = 0 } on" "$run/report.html" |
	awk -F, -v end="$(jq .makespan_s "$run/summary.json")" "
		NR > 1 { t = \$2 < end ? \$2 : end; area += y * (t - x); x = t } { y = \$3; if (NR == 1) x = \$2 }
		END { printf \"%.9f\n\", area / end / 100 }" >area &&
	near "$(cat area)" "$(jq .utilization "$run/summary.json")" 1e-5
'
# cells PAGE: "NAME: VALUE" of each row of the table of what was run
cells() {
	sed -n "/<table class=\"what-table\"/,/<\/table>/p" "$1" |
	sed -n "s/^<tr><th scope=\"row\">\([^<]*\)<\/th><td>\(.*\)<\/td><\/tr>\$/\1: \2/p" | sed "s/<[^>]*>//g"
}
test_expect_success 'what was run: two sentences and a table, which are those of scenario.json and summary.json' '
	cells "$run/report.html" >table && cat table &&
	jq -r ".cluster.partition as \$p | .versions as \$v |
		\"workload: light-esp: 230 jobs, seed 1\", \"cluster: 32 virtual nodes, 512 CPUs, partition \(\$p)\",
		\"versions: windtunnel \(\$v.windtunnel), Slurm \(\$v.slurm)\"" "$run/scenario.json" >wanted &&
	grep -F -f wanted table >found && test_line_count = 3 found &&
	grep "^scheduler: sched/backfill, select/cons_tres" table &&
	grep "^machine: $(jq .machine.cpus "$run/scenario.json") CPUs (" table &&
	near "$(sed -n "s/^its load when the run began: //p" table)" \
		"$(jq ".machine.load_average[0]" "$run/scenario.json")" 0.0051 &&
	jq -r ".repeatable | \"the same schedule again?: \(.verdict): \(.basis)\"" "$run/summary.json" >wanted &&
	grep -Fx -f wanted table &&
	sed -n "s/^<p class=\"what-run\">\(.*\)<\/p>\$/\1/p" "$run/report.html" | sed "s/<[^>]*>//g" >words && cat words &&
	grep -q "^What was run: Light-ESP, a benchmark: 230 jobs of fixed shares" words &&
	grep -q "sent to a real slurmctld with 32 virtual nodes of 16 CPUs\. It" words &&
	rm -rf "$WT_TMP/unknown" && cp -R "$run" "$WT_TMP/unknown" && rm "$WT_TMP/unknown/scenario.json" &&
	windtunnel report "$WT_TMP/unknown" && ! grep "What was run: " "$WT_TMP/unknown/report.html"
'
test_expect_success 'in virtual time that stands while slurmctld works, no latency is called its own' '
	if test "$(jq -r .virtual_clock.charge "$run/summary.json")" = none; then
		! grep -q "submissions were answered within" "$run/report.html" &&
		grep -q "tell nothing of a real controller" "$run/report.html"
	else
		grep -q "submissions were answered within" "$run/report.html"
	fi
'
test_expect_success 'the command on it gives the same workload again' '
	sed -n "s/.*<pre class=\"command\"[^>]*>\(.*\)<\/pre>/\1/p" "$run/report.html" >command &&
	grep -q "^windtunnel esp --nodes=32 " command &&
	sh -c "$(cat command) --dry-run --json" >again.json &&
	jq -e ".jobs | length == 230" again.json
'
test_expect_success 'nothing on it leads outside' '
	! grep -oE -e "(src|href|action|srcset|poster)=\"[^#\"][^\"]*" -e "url\([^)]*|@import|https?://[^ \"<]*" \
		-e "fetch\(|XMLHttpRequest|WebSocket" "$run/report.html" >out &&
	grep -q "Content-Security-Policy\" content=\"default-src .none.;" "$run/report.html"
'
test_expect_success 'each table has a caption, each chart a name and its data, each id is there once' '
	page="$run/report.html" &&
	test "$(grep -o "<table" "$page" | wc -l)" = "$(grep -o "<caption" "$page" | wc -l)" &&
	grep -c "<figure class=\"chart" "$page" >charts && test "$(cat charts)" -ge 10 &&
	test "$(grep -o "role=\"img\" aria-label=\"[^\"]" "$page" | wc -l)" = "$(cat charts)" &&
	test "$(grep -c "<details class=\"data\">" "$page")" = "$(cat charts)" &&
	grep -o " id=\"[^\"]*\"" "$page" | sort | uniq -d >twice && wt_empty twice &&
	grep -oE "(href=\"#|aria-labelledby=\")[^\"]*" "$page" | sed "s/.*[\"#]//" | sort -u >meant &&
	grep -o " id=\"[^\"]*\"" "$page" | sed "s/.*\"\(.*\)\"/\1/" | sort -u >there &&
	comm -23 meant there >lacking && wt_empty lacking
'
test_expect_success BROWSER 'in a browser: widths, day and night, paper; mouse, keys, search; nothing is asked for' '
	browse tour "$run/report.html" light-esp.Z
'

evil='<script>alert(1)</script>"><img src=x onerror=alert(2)>'
test_expect_success 'names with markup, control characters, right-to-left marks and 64 KiB do no harm' '
	cp -R "$run" "$WT_TMP/hostile" &&
	perl -CSD -Mutf8 -i -pe "
		next if \$. == 1;
		if (\$. == 2) { s/light-esp\.[A-Z]\.\d+/<script>alert(1)<\/script>&amp;/ }
		s/light-esp\.Z\.1\b/\"\x{202e}\e[31m<b>Z<\/b>\"/;
		s/light-esp\.Z\.2\b/\"y\" x 65536/e;
		s/^(\d+),light-esp,A,/\$1,light-esp,<\/script><svg onload=alert(3)>,/;" "$WT_TMP/hostile/jobs.csv" &&
	jq --arg evil "$evil" \
		".workload = \$evil | .failure = \$evil | .problems = {(\$evil): \$evil} | .[\$evil] = \$evil" \
		"$run/summary.json" >"$WT_TMP/hostile/summary.json" &&
	jq --arg evil "$evil" ".options.partition = (\$evil + \"\u202e\u0007\") | .machine.cpu_model = \$evil" \
		"$run/scenario.json" >"$WT_TMP/hostile/scenario.json" &&
	windtunnel report "$WT_TMP/hostile" --output hostile.html &&
	grep -q "&lt;script&gt;alert(1)" hostile.html && grep -q "\\\\u202E\\\\u001B\[31m&lt;b&gt;Z" hostile.html &&
	! grep -nE "<img|<svg onload|<script>alert|onerror=[^a]*>" hostile.html >out &&
	marks="\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}" &&
	perl -CSD -ne "print if /[\x00-\x08\x0b-\x1f\x7f-\x9f$marks]/" hostile.html >out2 && wt_empty out2 &&
	test "$(grep -o "<script>" hostile.html | wc -l)" = 2 && ! grep -q "yyyyyyyyyy\{1000\}" hostile.html &&
	test "$(stat -c %s hostile.html)" -lt 1000000
'
test_expect_success 'an interrupted run says so first' '
	mkdir "$WT_TMP/cut" && head -n 100 "$run/jobs.csv" >"$WT_TMP/cut/jobs.csv" &&
	cp "$run/series.csv" "$run/scenario.json" "$WT_TMP/cut" &&
	jq ".interrupted = true | .jobs_completed = 99" "$run/summary.json" >"$WT_TMP/cut/summary.json" &&
	windtunnel report "$WT_TMP/cut" &&
	grep "class=\"lead\"" "$WT_TMP/cut/report.html" >lead &&
	grep -q "^<p class=\"lead\"><strong>This run was interrupted</strong>: <data" lead &&
	grep -q "</strong>: <data[^>]*>99</data> of <data[^>]*>230</data>" lead
'
for file in summary.json scenario.json jobs.csv series.csv slurm.conf; do
	test_expect_success "without $file there is a page, and it says what is missing" '
		rm -rf "$WT_TMP/without" && cp -R "$run" "$WT_TMP/without" && rm "$WT_TMP/without/$file" &&
		windtunnel report "$WT_TMP/without" && tail -n 1 "$WT_TMP/without/report.html" | grep -q "^</html>\$" &&
		case $file in
		slurm.conf) : ;;
		*) sed -n "/What is missing/,/<\/ul>/p" "$WT_TMP/without/report.html" | grep -q "<li>.*$file" ;;
		esac
	'
done
test_expect_success 'a jobs.csv that was cut between two lines is called so; so is what became of jobs without a summary' '
	rm -rf "$WT_TMP/half" && cp -R "$run" "$WT_TMP/half" && head -n 51 "$run/jobs.csv" >"$WT_TMP/half/jobs.csv" &&
	windtunnel report "$WT_TMP/half" && ! grep "jobs_shown" "$run/report.html" &&
	grep "<p class=\"warn\">jobs.csv is not whole.*<data value=\"50\" data-key=\"jobs_shown\">" \
		"$WT_TMP/half/report.html" &&
	! grep "The largest loss" "$WT_TMP/half/report.html" &&
	grep "<li>jobs.csv tells of 50 jobs, summary.json of 230:" "$WT_TMP/half/report.html" &&
	jq ".jobs_completed = 40" "$run/summary.json" >"$WT_TMP/half/summary.json" && windtunnel report "$WT_TMP/half" &&
	grep "<li>jobs.csv tells of 50 jobs, summary.json of 230:" "$WT_TMP/half/report.html" &&
	jq ".trace = {left_out: {end: 3}, minutes_rounded: 2}" "$run/summary.json" >"$WT_TMP/half/summary.json" &&
	mkdir "$WT_TMP/half/heartbeats.jsonl" && windtunnel report "$WT_TMP/half" &&
	grep "<li>3 jobs of the trace: they end in a way" "$WT_TMP/half/report.html" &&
	grep "<li>2 dependencies have rounded minutes" "$WT_TMP/half/report.html" &&
	grep "<p class=\"none\">Not known: .*heartbeats.jsonl" "$WT_TMP/half/report.html" &&
	rmdir "$WT_TMP/half/heartbeats.jsonl" &&
	sed -i "2,11s/COMPLETED_SUCCESSFULLY/COMPLETED_FAILED/; 2,11s/,COMPLETED,/,FAILED,/" "$WT_TMP/half/jobs.csv" &&
	rm "$WT_TMP/half/summary.json" && windtunnel report "$WT_TMP/half" &&
	grep "class=\"lead\"" "$WT_TMP/half/report.html" | sed "s/<[^>]*>//g" >lead && cat lead &&
	grep "This run left no summary: 40 of 50 jobs completed in .*: 10 FAILED\." lead &&
	sed -i "3,\$d; s/FAILED/COMPLETED/g" "$WT_TMP/half/jobs.csv" && windtunnel report "$WT_TMP/half" &&
	grep "class=\"lead\"" "$WT_TMP/half/report.html" | sed "s/<[^>]*>//g" | grep "summary: 1 job finished in "
'
test_expect_success 'a damaged line ends what is read of its file, and the page says so' '
	rm -rf "$WT_TMP/without" && cp -R "$run" "$WT_TMP/without" &&
	sed -i "51s/,.*//; 60s/^/x/" "$WT_TMP/without/jobs.csv" &&
	printf "12," >>"$WT_TMP/without/series.csv" && rm "$WT_TMP/without/summary.json" &&
	windtunnel report "$WT_TMP/without" &&
	grep -q "<li>read up to a damaged line: jobs.csv:51: " "$WT_TMP/without/report.html" &&
	grep -q "<li>read up to a damaged line: series.csv:" "$WT_TMP/without/report.html"
'
test_expect_success 'a folder with nothing of a run is refused, and so are a missing one and no folder at all' '
	mkdir "$WT_TMP/empty" && test_expect_code 1 windtunnel report "$WT_TMP/empty" 2>err &&
	test_line_count = 1 err && grep -q "empty: is no run folder" err &&
	test ! -e "$WT_TMP/empty/report.html" &&
	test_expect_code 1 windtunnel report "$WT_TMP/nowhere" 2>err && test_line_count = 1 err &&
	test_expect_code 2 windtunnel report 2>err && grep -q "give a run folder" err
'
test_expect_success 'several runs: one page, here, with a list of them' '
	windtunnel report "$run" "$WT_TMP/cut" >out && echo "report: report.html" >expected && test_cmp expected out &&
	test "$(grep -c "<article" report.html)" = 2 && test "$(grep -o "<h1" report.html | wc -l)" = 1 &&
	grep -q "<a href=\"#run2\">" report.html &&
	grep -o " id=\"[^\"]*\"" report.html | sort | uniq -d >twice && wt_empty twice
'
test_expect_success 'the folders of repeated runs are found; a page that cannot be written is one line' '
	mkdir "$WT_TMP/all" && cp -R "$run" "$WT_TMP/all/1" && cp -R "$run" "$WT_TMP/all/2" &&
	cp "$run/summary.json" "$WT_TMP/all" &&
	windtunnel report "$WT_TMP/all" && test "$(grep -c "<article" "$WT_TMP/all/report.html")" = 2 &&
	mv "$WT_TMP/all/2" "$WT_TMP/all/12" && windtunnel report "$WT_TMP/all" &&	# a run that was removed ends nothing
	test "$(grep -c "<article" "$WT_TMP/all/report.html")" = 2 &&
	test_expect_code 1 windtunnel report "$run" --output "$WT_TMP/nowhere/report.html" 2>err && test_line_count = 1 err
'
test_done
