#!/bin/sh
test_description='the main job at 64 nodes, as ./quickstart runs it: unscaled Light-ESP in virtual time'
. "$WT_SRCDIR/t/setup.sh"

clock=virtual scale=1 ideal=935.2
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then	# which does not go together with a preloaded library
	clock=real scale=0.1 ideal=93.52
fi

run="$WT_TMP/run"
# summary FIELD: its value
summary() { perl -MJSON::PP -0777 -ne "print decode_json(\$_)->{'$1'}" "$run/summary.json"; }
# in_summary FIELD EXPRESSION: $_ is the value
in_summary() {
	perl -e '$_ = shift; exit(eval(shift) ? 0 : 1)' -- "$(summary "$1")" "$2" ||
		{ echo "$1 is $(summary "$1"), wanted $2"; return 1; }
}
# jobs COLUMN...: these columns of jobs.csv by name (none of them is quoted), without the header
jobs() {
	awk -F, -v columns="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(columns, c, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[c[i]], i < n ? " " : "\n" }' "$run/jobs.csv"
}

# quickstart itself, with what is built here instead of what it would install.
mkdir -p "$WT_TMP/prefix/bin" && ln -s "$WT_BUILDDIR/cmd/windtunnel" "$WT_TMP/prefix/bin/windtunnel"
sed "s,^prefix=.*,prefix=$WT_TMP/prefix,; s/^packages_install\$/:/; s/^build_tree\$/:/" "$WT_SRCDIR/quickstart" \
	>"$WT_TMP/quickstart"
test_expect_success 'quickstart runs it, and it ends well' '
	sh "$WT_TMP/quickstart" --nodes 64 --clock $clock --time-scale $scale --seed 1 --output "$run" >out 2>err || {
		cat out err
		false
	}
'
test_expect_success 'the last lines are the report and the run folder, and both are there' '
	tail -n 2 out >last && printf "report: %s\nrun folder: %s\n" "$run/report.html" "$run" >expected &&
	test_cmp expected last &&
	test -s "$run/report.html" && test -s "$run/summary.json" && tail -n 1 "$run/report.html" | grep "^</html>\$"
'
test_expect_success 'the summary names the run, and all 230 jobs are COMPLETED' '
	in_summary nodes "\$_ == 64" && in_summary backend "\$_ eq \"virtual\"" && in_summary clock "\$_ eq \"$clock\"" &&
	in_summary jobs_submitted "\$_ == 230" && in_summary jobs_completed "\$_ == 230"
'
test_expect_success 'its figures are possible' '
	in_summary ideal_s "abs(\$_ - $ideal) < 0.2" &&
	in_summary makespan_s "\$_ > $(summary ideal_s)" && in_summary wall_s "\$_ > 0" &&
	in_summary utilization "\$_ > 0.3 && \$_ < 1" && in_summary wait_mean_s "\$_ > 0" &&
	in_summary controller_cpu_s "\$_ > 0"
'
test_expect_success 'jobs.csv has each job once, with its success' '
	jobs job_id | sort -u >ids && test_line_count = 230 ids &&
	jobs success | sort -u >success && echo 1 >expected && test_cmp expected success
'
test_expect_success 'Z comes last and alone' '
	jobs profile starting_time finish_time >times &&
	awk "\$1 == \"Z\" { z++; if (!first || \$2 < first) first = \$2; next }
	     \$3 > last { last = \$3 }
	     END { exit !(z == 2 && first >= last) }" times
'
test_expect_success 'jobs.swf has 230 lines of 18 fields' '
	grep -v "^;" "$run/jobs.swf" | awk "NF == 18" >swf && test_line_count = 230 swf
'
test_expect_success 'events.csv has the start and the end of each job, and is ordered by time' '
	for event in submit start end; do
		grep -c "^[0-9.]*,$event," "$run/events.csv"
	done | sort -u >counts && echo 230 >expected && test_cmp expected counts &&
	tail -n +2 "$run/events.csv" | cut -d, -f1 >times && sort -c -n times
'
test_expect_success 'no process and no cluster is left' '
	windtunnel cluster list >list && ! grep -q " up " list &&
	find "$WINDTUNNEL_STATE" -mindepth 1 >left 2>/dev/null || : &&	# the folder itself may be gone
	wt_empty left &&
	for environ in $(grep -ls "WINDTUNNEL_CLUSTER=" /proc/[0-9]*/environ); do
		! grep -qsF "$WINDTUNNEL_STATE" "$environ" || echo "$environ"
	done >processes &&
	wt_empty processes
'
test_done
