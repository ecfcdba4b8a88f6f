#!/bin/sh
test_description='windtunnel report: pages of 4,096 and 16,384 nodes, and of a million jobs on 10,000 nodes, in a browser'
. "$WT_SRCDIR/t/setup.sh"

# Real runs of this size take too long for a test: these run folders are generated.  harness/page/bench_run makes a schedule
# up, and writes jobs.csv, series.csv and summary.json by the code that a real run writes them with.
. "$WT_SRCDIR/t/browse.sh"
if test -n "$browser_lacks"; then
	skip_all=$browser_lacks
	test_done
fi
# opened JOBS NODES: a generated run, its page below the limit of 20 MB, and all that a reader does with it
opened() {
	"$WT_BUILDDIR/harness/page/bench_run" --jobs "$1" --nodes "$2" --seed 1 "$WT_TMP/run" &&
	rm "$WT_TMP/run/events.csv" "$WT_TMP/run/jobs.swf" &&
	windtunnel report "$WT_TMP/run" --output "$WT_TMP/page.html" && rm -r "$WT_TMP/run" &&
	test "$(wc -c <"$WT_TMP/page.html")" -lt 20000000 && browse once "$WT_TMP/page.html" "$1" "$2" tiny.
}
test_expect_success '230 jobs on 4,096 nodes: charts, hover, zoom, search, widths, day and night, paper; nothing asked for' '
	opened 230 4096
'
test_expect_success 'so on 16,384 nodes' '
	opened 230 16384
'
test_expect_success 'so a million jobs on 10,000 nodes' '
	opened 1000000 10000
'
test_done
