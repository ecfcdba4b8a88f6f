/* live_state.h - what the live page shows of a run or a cluster, and the memory in which the process that knows lays it down
 * and the server finds it.
 *
 * The writer never waits and makes no system call for it: a run in virtual time does not notice readers.  One writer; any
 * number of readers, which may be other processes.  Texts are foreign: escaped by what shows them.  Times are seconds; NAN
 * where unknown. */
#ifndef WT_HARNESS_LIVE_LIVE_STATE_H
#define WT_HARNESS_LIVE_LIVE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/record.h"

#define LIVE_TOKEN_SIZE 33	/* 32 hexadecimal digits */
#define LIVE_URL_SIZE 512
#define LIVE_TEXT_SIZE 256
#define LIVE_PATH_SIZE 1024
#define LIVE_NAME_SIZE 64
#define LIVE_JOBS 128		/* latest starts and ends that are kept */
#define LIVE_SAMPLES 256	/* latest samples that are kept */
#define LIVE_DAEMONS 4
#define LIVE_KILLED -1
/* A histogram's buckets, eight to a factor of two: from LIVE_BUCKET_FIRST_S, below which all are in the first. */
#define LIVE_BUCKETS 256
#define LIVE_BUCKETS_OCTAVE 8
#define LIVE_BUCKET_FIRST_S (1.0 / 1024)

enum live_kind { LIVE_RUN, LIVE_CLUSTER };
enum live_phase { LIVE_STARTING, LIVE_RUNNING, LIVE_FINISHING, LIVE_ENDED };

struct live_histogram {
	uint64_t count;
	double sum, max;
	uint32_t buckets[LIVE_BUCKETS];
};

struct live_job {		/* a start, or an end */
	uint32_t id, nodes, cpus;
	uint32_t state;		/* enum wt_job_state: RUNNING, or a final one */
	double time_s;		/* since the run's begin, by its clock */
	double wait_s, run_s;
	char name[LIVE_NAME_SIZE];	/* may be cut */
};

struct live_daemon {		/* of a cluster */
	char name[LIVE_NAME_SIZE];
	bool alive;
	uint64_t restarts;
};

struct live_state {
	enum live_kind kind;
	enum live_phase phase;
	char doing[LIVE_TEXT_SIZE];	/* while it starts or ends: what */
	char title[LIVE_TEXT_SIZE];	/* workload, or the cluster's name */
	char clock[LIVE_NAME_SIZE];
	char folder[LIVE_PATH_SIZE];
	char failure[LIVE_TEXT_SIZE], outage[LIVE_TEXT_SIZE];	/* "": none */
	int32_t exit_status;		/* in LIVE_ENDED; LIVE_KILLED: it could not tell */
	uint32_t run_number, run_count;	/* of --repeat; else 0 */
	uint64_t seed;
	uint32_t nodes, cpus;
	double clock_s, wall_s;		/* since the begin of the run, by its clock and by the machine's */
	double share, left_s;		/* of the run: over, 0 to 1; how long it still takes by the machine's clock */
	/* jobs of the run; of a cluster only what its nodes know: started, running, ended */
	uint64_t jobs, submitted, started, pending, running, completing, ended, completed, refused, missing, unsure,
		resubmitted;
	struct live_histogram waits;		/* from submission to start, of the jobs that have started */
	struct live_histogram submissions;	/* slurmctld's answers to submissions */
	/* what was recorded last; the one with number n (from 1 on) is at [(n - 1) % LIVE_SAMPLES] */
	uint64_t sample_count, job_count;
	struct wt_sample samples[LIVE_SAMPLES];	/* time_s: since the run's begin */
	struct live_job last_jobs[LIVE_JOBS];
	/* a cluster's */
	uint32_t daemon_count;
	struct live_daemon daemons[LIVE_DAEMONS];
	bool nodes_known;		/* the following, from the virtual nodes' counters */
	uint32_t registered, nodes_busy, nodes_completing;
	uint32_t may_join, joined;	/* beyond 'nodes': places of nodes that join, and who has */
	uint64_t heartbeats, heartbeat_reports_lost, messages_sent, messages_retried, messages_lost;
	double controller_cpu_s;	/* NAN: not known */
	uint64_t controller_rss_kib;
};

struct live_memory {
	char magic[16];
	pid_t owner;			/* the process that writes */
	char token[LIVE_TOKEN_SIZE];
	char url[LIVE_URL_SIZE];	/* as people are told it */
	bool loopback;			/* the server listens on the machine's own address only */
	_Atomic uint64_t sequence;	/* odd while 'state' is being written */
	struct live_state state;
};

#define LIVE_MAGIC "windtunnel-live"

void live_state_init(struct live_state *state);		/* nothing known */

/* The writer's: lay down a copy. */
void live_memory_put(struct live_memory *memory, const struct live_state *state);

/* The reader's: a copy that is whole; *sequence tells whether it is another one than before.  false: it is being written all
 * the time (a writer that was killed there, for example); *state is not defined then. */
bool live_memory_get(struct live_memory *memory, struct live_state *state, uint64_t *sequence);

/* A negative value counts as 0; NAN is left out. */
void live_histogram_add(struct live_histogram *h, double value_s);

/* The value below which 'share' (0 to 1) of them are, to a twelfth of itself; NAN: none. */
double live_histogram_quantile(const struct live_histogram *h, double share);

/* How many are at most 'bound_s', which must be 2 to a whole power: exact. */
uint64_t live_histogram_below(const struct live_histogram *h, double bound_s);

/* Copy what fits of a text; NULL: "". */
void live_text_set(char *field, size_t size, const char *text);

const char *live_phase_name(enum live_phase phase);

/* The newest sample; NULL: none yet. */
const struct wt_sample *live_state_sample(const struct live_state *state);
void live_state_sample_add(struct live_state *state, const struct wt_sample *sample);
void live_state_job_add(struct live_state *state, const struct live_job *job);

#endif
