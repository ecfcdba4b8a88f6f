#!/bin/sh
test_description='windtunnel-run(5) names every column and every key'
. "$WT_SRCDIR/t/setup.sh"

PAGE=$WT_SRCDIR/doc/windtunnel-run.5
RECORD=$WT_SRCDIR/record REPORT=$WT_SRCDIR/harness/report

# Words in bold that begin a paragraph of the page.
documented() { sed -n 's/^\.BR* //p' "$PAGE" | tr -d '",' | tr ' ' '\n' | sort -u; }
missing() { documented >documented && sort -u | comm -23 - documented; }

test_expect_success 'columns of jobs.csv' '
	sed -n "/define WT_JOBS_CSV_HEADER/,/[^\\\\]$/p" "$RECORD/jobs_csv.h" | grep -o "\"[^\"]*\"" | tr -d "\"" |
		tr "," "\n" | sed "/^\$/d" >columns &&
	test_line_count = 40 columns &&
	missing <columns >out && test_must_fail grep . out
'
test_expect_success 'columns of series.csv' '
	grep -o "X([a-z_]*, [A-Z0-9]*)" "$RECORD/series.c" | sed "s/X(\([a-z_]*\),.*/\1/" >columns &&
	test_line_count = 36 columns &&
	missing <columns >out && test_must_fail grep . out
'
test_expect_success 'columns and events of events.csv' '
	sed -n "s/^#define WT_EVENTS_HEADER \"\(.*\)\"/\1/p" "$RECORD/event_format.h" | tr "," "\n" >columns &&
	sed -n "s/^#define WT_EVENT_NAME_[A-Z]* \"\(.*\)\"/\1/p" "$RECORD/event_format.h" >>columns &&
	test_line_count = 14 columns &&
	missing <columns >out && test_must_fail grep . out
'
test_expect_success 'keys of summary.json' '
	sed -n "s/.*WT_FIG_.*= { \"\([a-z0-9_]*\)\".*/\1/p" "$REPORT/figures.c" >keys &&
	test_line_count = 49 keys &&
	grep -o "json_object_set_new(object, \"[a-z_]*\"" "$REPORT/summary.c" "$REPORT/repeats.c" |
		sed "s/.*\"\(.*\)\"/\1/" >>keys &&
	test_line_count -gt 50 keys &&
	missing <keys >out && test_must_fail grep . out
'
test_expect_success 'keys of summary.json that the run adds, and those of their objects' '
	RUN=$WT_SRCDIR/harness/run &&
	sed -n "/extras\[\] = {/,/};/s/.*{ \"\([a-z_]*\)\",.*/\1/p" "$RUN/run_finish.c" >keys &&
	test_line_count = 22 keys &&
	sed -n "/^json_t \*wt_run_clock_json/,/^}/p; /^json_t \*wt_run_repeatable_json/,/^}/p" "$RUN/run_clock.c" >bodies &&
	sed -n "/^static json_t \*trace_fate_json/,/^}/p" "$RUN/choice_trace.c" >>bodies &&
	sed -n "/^static json_t \*cost_json/,/^}/p" "$RUN/rpc_costs.c" >>bodies &&
	sed -n "/^json_t \*world_acts_json/,/^}/p; /outcomes\[WORLD_OUTCOMES\] = {/,/};/p; /fputs(\"line,/s/,/\",\"/gp" \
		"$RUN/world_acts.c" >>bodies &&
	sed -n "/^json_t \*wt_run_provision_json/,/^}/p" "$RUN/run_provision.c" | grep -v "\"wait\"" >>bodies &&
	grep -o "\"[a-z0-9_]*\"," bodies | tr -d "\"," >>keys &&
	test_line_count = 82 keys &&
	missing <keys >out && test_must_fail grep . out
'
test_expect_success 'how evalys counts shared nodes stands beside the columns of jobs.csv' '
	sed -n "/^\.SH JOBS.CSV/,/^\.SH JOBS.SWF/p" "$PAGE" >section && test_line_count -gt 20 section &&
	grep "as evalys does .*, count such a node" section
'
test_done
