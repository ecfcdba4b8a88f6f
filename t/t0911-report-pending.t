#!/bin/sh
test_description='windtunnel report: waiting jobs by reason over time are those of series.csv'
. "$WT_SRCDIR/t/setup.sh"

"$WT_BUILDDIR/harness/page/bench_run" --jobs 200 --nodes 24 made >/dev/null
# The last column of the made-up jobs is pending_times.
sed -i '2,$s/,[^,]*,[^,]*$/,Priority,Priority=5.0/' made/jobs.csv
head -n 1 made/jobs.csv | grep -q ',pending_reason,pending_times$' || exit 1

test_expect_success 'a record without the columns has the table alone' '
	windtunnel report made --output old.html && grep -q "Waiting time of all jobs by Slurm.s reason" old.html &&
	! grep -q "id=\"run1-pending-chart\"" old.html
'
test_expect_success 'each reason that jobs waited for is a curve with the samples of series.csv' '
	head -n 1001 made/series.csv | cut -d, -f1-28 | awk -F, -v OFS=, "
		NR == 1 { print \$0, \"pending_resources,pending_priority,pending_dependency,pending_limit,pending_other\" }
		NR > 1 { print \$0, NR == 3 ? \"\" : 1, NR == 3 ? \"\" : 2 * NR, 0, 0, NR % 2 }" >series.csv &&
	mv series.csv made &&
	windtunnel report made --output new.html &&
	sed -n "/data-name=\"run1-pending-chart.csv\"/,/<\/pre>/p" new.html | sed "1d; /<\/pre>/d" >data &&
	awk -F, "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i }
		NR > 1 { print \$at[\"pending_priority\"] }" made/series.csv >priority &&
	test "$(grep -c "^priority," data)" = "$(wc -l <priority)" && grep "^priority," data | cut -d, -f3 >drawn &&
	test_cmp priority drawn &&
	cut -d, -f1 data | sort -u >curves && printf "other\npriority\nresources\n" >expected && test_cmp expected curves
'
test_done
