/* job_facts.h - what slurmctld says of a job, in the form in which jobs.csv has it.  Foreign text; any thread. */
#ifndef WT_HARNESS_RUN_JOB_FACTS_H
#define WT_HARNESS_RUN_JOB_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* GPUs that a job was given.  'tres': as "cpu=4,gres/gpu=2,gres/gpu:a100=2" (AccountingStorageTRES decides what it names);
 * where it names none, 'gres' counts, as "gpu:a100:2,fpga:1".  Either may be NULL.  0: none; WT_GPUS_UNKNOWN: cannot be
 * read, or too many. */
uint32_t wt_job_gpus(const char *tres, const char *gres);

struct wt_user {		/* the last one asked for; zeroed: none yet */
	bool known;
	uid_t uid;
	char name[256];
	struct json_t *own;	/* uid, as text -> name: of a cluster with users of its own; NULL: this machine's */
};

/* From here on 'passwd', a cluster's own, says who is who.  0, or -1 with errno; *user is to be cleared then as well. */
int wt_user_names_read(struct wt_user *user, const char *passwd);
void wt_user_names_clear(struct wt_user *user);

/* The name of 'uid', or its number where it has none; valid until the next call with another one.  May ask a directory
 * service: *user keeps the last answer.  One thread at a time for each *user. */
const char *wt_user_name(struct wt_user *user, uid_t uid);

#endif
