#!/bin/sh
test_description='windtunnel report: the schedule in a browser, without any network'
. "$WT_SRCDIR/t/setup.sh"

. "$WT_SRCDIR/t/browse.sh"
if test -n "$browser_lacks"; then
	skip_all=$browser_lacks
	test_done
fi
bench_run="$WT_BUILDDIR/harness/page/bench_run"
wt_seed

test_expect_success 'a page of a made-up run' '
	"$bench_run" --jobs 3000 --nodes 500 --seed "$T_SEED" "$WT_TMP/run" &&
	windtunnel report "$WT_TMP/run" --output "$WT_TMP/page.html" &&
	test $(wc -c <"$WT_TMP/page.html") -lt 2000000
'
test_expect_success 'pictures at 1280 and 400 pixels, by day and by night; no request leaves' '
	browse drawn "$WT_TMP/page.html"
'
test_expect_success 'by keyboard' '
	browse keys "$WT_TMP/page.html"
'
test_expect_success 'by mouse: details, wheel, dragging' '
	browse pointer "$WT_TMP/page.html"
'
test_expect_success 'by touch' '
	browse touch "$WT_TMP/page.html"
'
test_expect_success 'search, colours, rows by switch, the table' '
	browse search "$WT_TMP/page.html"
'
test_expect_success 'charts and schedule show the same time' '
	browse follow "$WT_TMP/page.html"
'
test_expect_success 'on paper' '
	browse print "$WT_TMP/page.html"
'
test_expect_success 'damaged data are called so' '
	browse damage "$WT_TMP/page.html"
'
test_expect_success 'jobs that share nodes' '
	"$bench_run" --jobs 500 --nodes 40 --shared --seed "$T_SEED" "$WT_TMP/shared" &&
	windtunnel report "$WT_TMP/shared" --output "$WT_TMP/shared.html" &&
	browse drawn "$WT_TMP/shared.html" && browse pointer "$WT_TMP/shared.html"
'
# More jobs than a segment of free_runs.h, and more than can be told apart.
test_expect_success 'more jobs than pixels' '
	"$bench_run" --jobs 150000 --nodes 2000 --seed "$T_SEED" "$WT_TMP/many" &&
	windtunnel report "$WT_TMP/many" --output "$WT_TMP/many.html" &&
	browse drawn "$WT_TMP/many.html" && browse keys "$WT_TMP/many.html"
'
test_expect_success 'the schedule opens where single jobs are' '
	"$bench_run" --jobs 150000 --nodes 2000 --seed 1 "$WT_TMP/opening" &&
	windtunnel report "$WT_TMP/opening" --output "$WT_TMP/opening.html" && rm -rf "$WT_TMP/opening" &&
	browse opening "$WT_TMP/opening.html"
'
test_expect_success 'names that are markup, or turn the direction' '
	"$bench_run" --jobs 100 --nodes 40 --seed "$T_SEED" "$WT_TMP/hostile" &&
	python3 - "$WT_TMP/hostile/jobs.csv" <<-\END &&
	import csv, sys
	with open(sys.argv[1], newline="") as file:
	    rows = list(csv.DictReader(file))
	for row in rows:
	    if row["job_id"] == "5":
	        row["name"] = "<img src=x onerror=alert(1)>\u202e\u0007</script><script>alert(2)</script>"
	    if row["job_id"] == "6":
	        row["name"] = "\u4e2d" * 21845
	with open(sys.argv[1], "w", newline="") as file:
	    out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
	    out.writeheader()
	    out.writerows(rows)
	END
	windtunnel report "$WT_TMP/hostile" --output "$WT_TMP/hostile.html" &&
	browse hostile "$WT_TMP/hostile.html"
'
test_expect_success 'odd runs: no job, one, none that ended well, files that are cut or missing, numbers that are none' '
	"$bench_run" --jobs 40 --nodes 40 --seed "$T_SEED" "$WT_TMP/plain" && mkdir "$WT_TMP/odd" &&
	python3 "$WT_SRCDIR/t/odd-runs.py" "$WT_TMP/plain" "$WT_TMP/odd" >names && test_line_count -gt 20 names &&
	while read -r name; do
		windtunnel report "$WT_TMP/odd/$name" --output "$WT_TMP/odd/$name.html" || return 1
	done <names && browse odd "$WT_TMP/odd/"*.html &&
	grep "<li>.* times of jobs are more than a hundred years from " "$WT_TMP/odd/huge-times.html" &&
	grep "id=\"run1-busy\"" "$WT_TMP/odd/huge-times.html"
'
test_done
