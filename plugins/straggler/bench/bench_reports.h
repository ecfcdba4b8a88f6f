/* bench_reports.h - what the two halves of bench_reports share. */
#ifndef WT_PLUGINS_STRAGGLER_BENCH_BENCH_REPORTS_H
#define WT_PLUGINS_STRAGGLER_BENCH_BENCH_REPORTS_H

#include "straggler/protocol/channel.h"

struct bench_arguments {
	const char *conf, *evil;
	unsigned int first, last, nodes;
	double seconds, duration_s, slow, age_s;
};

double bench_now_s(void);	/* monotonic */

/* A heartbeat of a task that has run for so long. */
void bench_record(struct port_message *message, const struct bench_arguments *in, unsigned int job, double elapsed_s);

/* Do what in->evil says; the process' exit code. */
int evil_reports_send(const struct straggler_conf *conf, const struct bench_arguments *in);

#endif
