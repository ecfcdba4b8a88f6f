/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/live/live_cluster.h"
#include "harness/live/live_metrics.h"
#include "lib/test_cmocka.h"

#define OPEN "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"

static struct live_state now;

static char *text_of(const char *accept, const char **type)
{
	char *text = live_metrics_text(&now, accept, type);

	assert_non_null(text);
	return text;
}

static void run_make(void)
{
	live_state_init(&now);
	now.jobs = 10;
	now.submitted = 7;
	now.cpus = 64;
	strcpy(now.title, "a \"title\"\n\\");
	live_histogram_add(&now.waits, 2);
	live_histogram_add(&now.waits, 300);
	live_state_sample_add(&now, &(struct wt_sample){ .cpus_allocated = 32, .controller_cpu_s = 1.5, .rpc_count = 9 });
}

static void open_format(void **state)
{
	const char *type;
	char *text;

	(void) state;
	run_make();
	text = text_of(OPEN, &type);
	assert_non_null(strstr(type, "application/openmetrics-text"));
	assert_non_null(strstr(text, "# TYPE windtunnel_jobs_submitted counter\n"));
	assert_non_null(strstr(text, "\nwindtunnel_jobs_submitted_total 7\n"));
	assert_non_null(strstr(text, "\nwindtunnel_cpus_allocated 32\n"));
	assert_non_null(strstr(text, "\n# UNIT windtunnel_job_wait_seconds seconds\n"));
	assert_non_null(strstr(text, "\nwindtunnel_job_wait_seconds_count 2\n"));
	assert_non_null(strstr(text, "\nwindtunnel_job_wait_seconds_sum 302\n"));
	assert_non_null(strstr(text, "title=\"a \\\"title\\\"?\\\\\""));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	free(text);
}

static void old_format(void **state)
{
	const char *type;
	char *text;

	(void) state;
	run_make();
	text = text_of("text/plain", &type);
	assert_non_null(strstr(type, "text/plain; version=0.0.4"));
	assert_null(strstr(text, "# UNIT"));
	assert_null(strstr(text, "# EOF"));
	assert_non_null(strstr(text, "# TYPE windtunnel_live_info gauge\n"));
	assert_non_null(strstr(text, "# TYPE windtunnel_jobs_submitted_total counter\n"));
	assert_non_null(strstr(text, "# HELP windtunnel_jobs_submitted_total Jobs that"));
	assert_non_null(strstr(text, "# TYPE windtunnel_job_wait_seconds histogram\n"));
	free(text);
	free(text_of(NULL, &type));
	assert_non_null(strstr(type, "text/plain"));
}

/* A state of which nothing is known has no sample that lies. */
static void nothing_known(void **state)
{
	const char *type;
	char *text;

	(void) state;
	live_state_init(&now);
	text = text_of(OPEN, &type);
	assert_null(strstr(text, "NaN"));
	assert_null(strstr(text, "windtunnel_cpus"));
	free(text);
}

static void cluster(void **state)
{
	static const char daemons[] = "{\"supervisor\": {\"pid\": 5, \"start_time\": 6}, \"message\": \"m\", \"daemons\": "
		"[{\"name\": \"slurmctld\", \"pid\": 1, \"start_time\": 2, \"restarts\": 3}, "
		"{\"name\": \"munged\", \"pid\": 0}]}";
	static const char counters[] = "{\"registered\": 64, \"nodes_allocated\": 3, \"jobs_running\": 2, "
		"\"heartbeats\": 9, \"may_join\": 6, \"joined\": 2}";
	static const char events[] = WT_EVENTS_HEADER "\n100.5,start,1,,,n0,2\nrubbish\n103.5,end,1,,,n0,0\n"
		"104,end,2,,,n1,9\n105,sta";
	struct live_cluster c = { 0 };
	const char *type;
	char *text;

	(void) state;
	live_state_init(&now);
	now.kind = LIVE_CLUSTER;
	now.nodes = 64;
	live_cluster_take_state(&c, &now, daemons, strlen(daemons));
	live_cluster_take_nodes(&now, counters, strlen(counters));
	live_cluster_take_events(&c, &now, events, strlen(events));
	assert_int_equal(c.supervisor.pid, 5);
	assert_int_equal(now.started, 1);
	assert_int_equal(now.ended, 2);
	assert_int_equal(now.completed, 1);
	assert_true(now.last_jobs[1].time_s == 3);
	live_cluster_take_state(&c, &now, "[", 1);
	live_cluster_take_nodes(&now, "null", 4);
	assert_int_equal(now.daemon_count, 2);
	text = text_of(OPEN, &type);
	assert_non_null(strstr(text, "\nwindtunnel_daemon_up{daemon=\"slurmctld\"} 1\n"));
	assert_non_null(strstr(text, "\nwindtunnel_daemon_up{daemon=\"munged\"} 0\n"));
	assert_non_null(strstr(text, "\nwindtunnel_daemon_restarts_total{daemon=\"slurmctld\"} 3\n"));
	assert_non_null(strstr(text, "\nwindtunnel_heartbeats_total 9\n"));
	assert_non_null(strstr(text, "\nwindtunnel_nodes_registered 64\n"));
	assert_non_null(strstr(text, "\nwindtunnel_cluster_nodes 66\n"));
	assert_non_null(strstr(text, "\nwindtunnel_nodes_joined 2\n"));
	assert_non_null(strstr(text, "\nwindtunnel_node_places_free 4\n"));
	free(text);
	live_cluster_clear(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_format), cmocka_unit_test(old_format), cmocka_unit_test(nothing_known),
		cmocka_unit_test(cluster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
