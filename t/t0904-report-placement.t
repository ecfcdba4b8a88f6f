#!/bin/sh
test_description='windtunnel report: placement and fragmentation, counted once more from the run folder'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/browse.sh"

clock="virtual"
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then	# which does not go together with a preloaded library
	clock="real --time-scale 0.02"
fi
# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.
esp() {
	windtunnel esp --nodes 72 --unit nodes --topology tree.conf --clock $clock --plugin bestfit \
		--quiet "$@" >out 2>err ||
	{ cat out err; false; }
}
# levels PAGE: "LEVEL TOUCHED LEAST-ABSOLUTE LEAST-RELATIVE ABSOLUTE RELATIVE" of each row
levels() {
	sed -n '/<table class="placement"/,/<\/table>/p' "$1" | perl -ne '
		next unless /<tr data-level="(\w+)"/;
		my ($level, %v) = $1;
		$v{$2} = $1 while /<data value="([^"]*)" data-key="([\w-]+)"/g;
		my @keys = qw(touched least-absolute least-relative absolute relative);
		print join(" ", $level, map { $v{$_} // "-" } @keys), "\n"'
}
cat >levels.jq <<'EOF_JQ'
. as $all | ([range(.levels | length)] | reverse[] | . as $l | $all.switches[$l] as $s |
	[$l, $s.touched / $all.jobs, $s.least_absolute / $all.jobs, $s.least_relative / $all.jobs,
	 $all.levels[$l].optimal_absolute, $all.levels[$l].optimal_relative]),
	["all", "-", "-", "-", .all_levels.optimal_absolute, .all_levels.optimal_relative] | join(" ")
EOF_JQ
same_numbers() {
	test_line_count = "$(wc -l <"$1")" "$2" && paste -d " " "$1" "$2" | perl -ane '
		my $n = @F / 2;
		for my $i (0 .. $n - 1) {
			my ($x, $y) = @F[$i, $n + $i];
			print or last if $x ne $y && ($x !~ /\d/ || $y !~ /\d/ || abs($x - $y) > 1e-9 * (1 + abs $y));
		}' >differ && wt_empty differ
}
data() {
	awk -v name="data-name=\"$2.csv\"" 'index($0, name) { on = 1; next } /<\/pre>/ { on = 0 } on' "$1" |
	awk -F, -v of="$3" '$1 == of { print $2, $3 }'
}

test_expect_success 'runs with and without best fit' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	esp --repeat 2 --output off --set SchedulerParameters+=bestfit=off &&
	esp --repeat 2 --output on --set SchedulerParameters+=bestfit=on
'
test_expect_success 'the table is what windtunnel topology score counts' '
	windtunnel report off/1 --output off.html && levels off.html >got && test_line_count = 3 got &&
	windtunnel topology score off/1 --json >score && jq -r -f levels.jq score >want && same_numbers got want
'
test_expect_success 'the sentence about leaves says what the table says' '
	for key in touched absolute relative; do
		sed -n "s/.*<data value=\"\([^\"]*\)\" data-key=\"leaves_$key\".*/\1/p" off.html || return 1
	done >got &&
	awk "\$1 == 0 { printf \"%s\n%s\n%s\n\", \$2, \$3, \$4 }" want >leaves && test_line_count = 3 got &&
	same_numbers got leaves
'
test_expect_success 'the rest of the page, and how many times the least leaves jobs touched, recomputed' '
	if command -v python3 >/dev/null; then
		python3 "$WT_SRCDIR/t/check-page.py" --except scatter --leaf 6 off.html off/1 >recomputed ||
			{ cat recomputed; return 1; }
		grep "^[1-9][0-9]* points of placement-times\$" recomputed
	fi
'
# Switches touched, and the least by size, counted without the command's help from the node indexes of jobs.csv.
cat >recount.pl <<'EOF_PERL'
use strict;
my (%at, @touched, @least);
while (<STDIN>) {
	chomp;
	my (@f, $rest);
	push @f, defined $1 ? $1 : $2 while /\G(?:"([^"]*)"|([^",]*))(?:,|$)/gc && length() > pos();
	if (!%at) { @at{@f} = 0 .. $#f; next }
	my @nodes = map { /^(\d+)-(\d+)$/ ? $1 .. $2 : $_ } split / /, $f[$at{allocated_resources}];
	next if !@nodes || @nodes == 72;
	for my $level (0, 1) {
		my $size = (6, 36)[$level];
		my %switches = map { int($_ / $size) => 1 } @nodes;
		$touched[$level] += keys %switches;
		$least[$level] += int((@nodes + $size - 1) / $size);
	}
}
print "$_ $touched[$_] $least[$_]\n" for 0, 1;
EOF_PERL
test_expect_success 'and what a recount counts' '
	perl recount.pl <off/1/jobs.csv >want &&
	jq -r ".switches[] | [.level, .touched, .least_absolute] | join(\" \")" score >got && test_cmp want got
'
# Free leaves at each moment of the chart: a node is taken from the start of a job to its release.
cat >scatter.pl <<'EOF_PERL'
use strict;
my ($begin, $events, $jobs) = @ARGV;
my (%released, %at, @spans);
open my $in, '<', $events or die;
while (<$in>) {
	my ($time, $event, $job, undef, undef, $node) = split /,/;
	$released{"$job $1"} = $time - $begin if $event eq 'release' && $node =~ /^n(\d+)$/;
}
open $in, '<', $jobs or die;
while (<$in>) {
	chomp;
	my @f;
	push @f, defined $1 ? $1 : $2 while /\G(?:"([^"]*)"|([^",]*))(?:,|$)/gc && length() > pos();
	if (!%at) { @at{@f} = 0 .. $#f; next }
	for my $node (map { /^(\d+)-(\d+)$/ ? $1 .. $2 : $_ } split / /, $f[$at{allocated_resources}]) {
		push @spans, [$node, $f[$at{starting_time}], $released{"$f[$at{job_id}] $node"} // $f[$at{finish_time}]];
	}
}
while (<STDIN>) {
	my ($time) = split;
	my @free = (1) x 72;
	$_->[1] <= $time && $time < $_->[2] and $free[$_->[0]] = 0 for @spans;
	my %leaves = map { int($_ / 6) => 1 } grep { $free[$_] } 0 .. 71;
	my $free = grep { $_ } @free;
	printf "%s %d %d\n", $time, scalar keys %leaves, int(($free + 5) / 6);
}
EOF_PERL
# slurmctld's log has the order of jobs that start within milliseconds better than jobs.csv: a moment in between may differ.
test_expect_success 'fragmentation: free leaves, and the least that could hold them, at each moment' '
	data off.html run1-scatter scattered >scattered && data off.html run1-scatter least >least &&
	join scattered least >got && test_line_count = 600 got &&
	perl scatter.pl "$(jq .begin_s off/1/summary.json)" off/1/events.csv off/1/jobs.csv <got >want &&
	diff got want | grep -c "^<" >differ || : && test "$(cat differ)" -le 3 &&
	awk "\$2 > \$3 { more++ } END { exit !(more > 20) }" got
'
# The mean difference of two pairs and its 95 % interval, in percent of the first mean; the means.
cat >difference.pl <<'EOF_PERL'
chomp(my @v = <STDIN>);
my @d = ($v[2] - $v[0], $v[3] - $v[1]);
my ($mean, $a, $half) = (($d[0] + $d[1]) / 2, ($v[0] + $v[1]) / 2, 12.7062047361747 * abs($d[0] - $d[1]) / 2);
print join(' ', (map { 100 * $_ / $a } $mean, $mean - $half, $mean + $half), $a, ($v[2] + $v[3]) / 2), "\n";
EOF_PERL
cat >cells.pl <<'EOF_PERL'
while (<STDIN>) {
	$v{$2} = $1 while /<data value="([^"]*)" data-key="(\w+)"/g;
	print join(' ', @v{qw(mean low high a b)}), "\n";
}
EOF_PERL
test_expect_success 'side by side: means over the runs, and their differences in pairs' '
	windtunnel report off on --output both.html &&
	for run in off/1 off/2 on/1 on/2; do
		windtunnel topology score $run --json >score && jq ".switches[0].touched / .jobs" score || return 1
	done >touched &&
	perl difference.pl <touched >want &&
	sed -n "/<table class=\"differences beside\"/,/<\/table>/p" both.html | grep "data-figure=\"touched-0\"" |
	perl cells.pl >got &&
	same_numbers got want && data both.html side-scatter A >curve && test_line_count = 600 curve &&
	data both.html side-placement-times B >curve && test_line_count -gt 100 curve
'
# beside PAGE: t/check-side.py computes the charts of the comparison anew
beside() {
	python3 "$WT_SRCDIR/t/check-side.py" --leaf 6 --above 36 "$1" A=off/1,off/2 B=on/1,on/2 >beside ||
		{ cat beside; return 1; }
}
# unlike CHART CHANGE: a page whose chart was changed by sed so is noticed
unlike() {
	sed "/data-name=\"side-$1.csv\"/,/<\/pre>/ $2" both.html >spoilt.html && ! cmp -s spoilt.html both.html &&
	! beside spoilt.html >/dev/null && grep "^fault: side-$1" beside ||
		{ echo "not noticed: $1: $2"; cat beside; return 1; }
}
command -v python3 >/dev/null && test_set_prereq PYTHON
test_expect_success PYTHON 'each chart side by side, recomputed from jobs.csv and events.csv; a change is noticed' '
	beside both.html && cat beside &&
	for what in side-busy side-queue "side starts" side-cdf-turnaround "side scatter" side-placement-times; do
		grep "^[1-9][0-9]* points of $what\$" beside || return 1
	done && grep "^4 means and differences of placement\$" beside &&
	for chart in busy queue starts cdf-wait cdf-turnaround cdf-slowdown placement-times; do
		unlike $chart "s/^\(B,.*,\)\([0-9.]*[1-9][0-9.]*\)\$/\11\2/" || return 1
	done &&
	unlike scatter "s/^\(A,[0-9]*\)\([0-9.]*,\)\(.*\)\$/\1\29\3/" &&
	unlike scatter "{ /^B,/ { x; s/^/x/; /^x\{200,220\}\$/ { x; s/,[0-9.]*\$/,9/; x }; x } }" &&
	for cell in "touched-0 b" "touched-1 low" "optimal high" "optimal b" "scatter mean"; do
		figure=${cell% *} key=${cell#* } &&
		sed "/data-figure=\"$figure\"/ s/value=\"[^\"]*\" data-key=\"$key\"/value=\"9999\" data-key=\"$key\"/" \
			both.html >spoilt.html && ! beside spoilt.html >/dev/null &&
		grep "^fault: $figure: $key is 9999" beside ||
			{ echo "not noticed: $cell"; return 1; }
	done
'
test_expect_success BROWSER 'side by side in a browser: the charts of the comparison, and the schedules of all runs' '
	cp both.html "$WT_TMP/both.html" && browse tour "$WT_TMP/both.html" light-esp.Z 4
'
# As two runs of a jumpy figure have them: with one degree of freedom there is no limit to what an interval may be.
test_expect_success BROWSER 'however long the differences are, on a small screen each has its verdict beside it' '
	sed "/<table class=\"differences/,/<\/table>/ s/\(data-key=\"\(mean\|low\|high\)\">\)[^ <]*/\1+98,765,432.1/g" \
		both.html >"$WT_TMP/long.html" && ! cmp -s both.html "$WT_TMP/long.html" && browse fits "$WT_TMP/long.html"
'
# recolumn.pl COLUMN VALUE, with perl -p -i: the first row of a jobs.csv has another value
cat >recolumn.pl <<'EOF_PERL'
BEGIN { ($column, $value) = splice @ARGV, 0, 2 }
if ($. == 1) {
	my @names = split /,/;
	($at) = grep { $names[$_] eq $column } 0 .. $#names;
} elsif ($. == 2) {
	s/"([^"]*)"/$1 =~ tr{,}{;}r/ge;
	my @f = split /,/, $_, -1;
	$f[$at] = $value;
	$_ = join ',', map { s/;/,/g ? qq("$_") : $_ } @f;
}
EOF_PERL
test_expect_success 'without a tree there is no such part; a tree that is none is named' '
	cp -R off/1 flat && rm flat/topology.conf && windtunnel report flat && ! grep -q "run1-placement" flat/report.html &&
	cp -R off/1 broken && echo "SwitchName=" >broken/topology.conf && windtunnel report broken &&
	sed -n "/id=\"run1-placement\"/,/<\/section>/p" broken/report.html | grep "Not known: topology.conf: "
'
test_expect_success 'more nodes than a page can look at are left out, and the page says so' '
	cp -R off/1 huge && perl -p -i recolumn.pl allocated_nodes 60000001 huge/jobs.csv && windtunnel report huge &&
	sed -n "/id=\"run1-placement\"/,/<\/section>/p" huge/report.html >section &&
	grep "Not known: its jobs had 60,00[0-9],[0-9]* nodes together, and more than 60,000,000 would take " section
'
test_done
