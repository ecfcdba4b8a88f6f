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

# visit FOLDER CHECK[,CHECK...]: all of them in one browser, which takes seconds to start; passed FOLDER CHECK: one of them
visit() { browse "$2" "$WT_TMP/$1.html" >"$WT_TMP/$1.seen" 2>&1 || :; }
passed() { grep -x "$2: passed" "$WT_TMP/$1.seen" || { cat "$WT_TMP/$1.seen"; return 1; }; }

test_expect_success 'a page of a made-up run' '
	"$bench_run" --jobs 3000 --nodes 500 --seed "$T_SEED" "$WT_TMP/run" &&
	windtunnel report "$WT_TMP/run" --output "$WT_TMP/run.html" &&
	test $(wc -c <"$WT_TMP/run.html") -lt 2000000 &&
	visit run drawn,keys,pointer,touch,search,follow,print,damage
'
test_expect_success 'pictures at 1280 and 400 pixels, by day and by night; no request leaves' '
	passed run drawn
'
test_expect_success 'by keyboard' '
	passed run keys
'
test_expect_success 'by mouse: details, wheel, dragging' '
	passed run pointer
'
test_expect_success 'by touch' '
	passed run touch
'
test_expect_success 'search, colours, rows by switch, the table' '
	passed run search
'
test_expect_success 'charts and schedule show the same time' '
	passed run follow
'
test_expect_success 'on paper' '
	passed run print
'
test_expect_success 'damaged data are called so' '
	passed run damage
'
test_expect_success 'jobs that share nodes' '
	"$bench_run" --jobs 500 --nodes 40 --shared --seed "$T_SEED" "$WT_TMP/shared" &&
	windtunnel report "$WT_TMP/shared" --output "$WT_TMP/shared.html" &&
	visit shared drawn,pointer && passed shared drawn && passed shared pointer
'
# More jobs than a segment of free_runs.h, and more than can be told apart.
many() {
	"$bench_run" --jobs 150000 --nodes 2000 --seed "$2" "$WT_TMP/$1" &&
	windtunnel report "$WT_TMP/$1" --output "$WT_TMP/$1.html" && rm -rf "$WT_TMP/$1"
}
test_expect_success 'more jobs than pixels' '
	many many "$T_SEED" && visit many drawn,keys,opening && passed many drawn && passed many keys
'
test_expect_success 'the schedule opens where single jobs are' '
	{ test "$T_SEED" = 1 || { many opening 1 && mv "$WT_TMP/opening.html" "$WT_TMP/many.html" &&
		visit many opening; }; } && passed many opening
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
