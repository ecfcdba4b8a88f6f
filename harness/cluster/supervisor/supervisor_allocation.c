/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job of another Slurm cluster whose nodes are the hosts: is it still there?  Asked when a host is lost. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/conf/allocation.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define ANSWER_BYTES_MAX 4096	/* a pipe holds more: squeue does not wait for us to read */

struct sup_allocation {
	struct keeper keeper;	/* squeue */
	char **argv;
	char *log;
	int from;		/* its output; -1: it does not run */
};

/* As its answer has it, the job has no nodes any more: nothing of ours is on them, and nothing will be. */
static void answered(struct keeper *k, pid_t pid, const char *how)
{
	struct sup *sup = k->owner;
	struct sup_allocation *a = sup->allocation;
	char text[ANSWER_BYTES_MAX + 1];
	ssize_t n = read(a->from, text, ANSWER_BYTES_MAX);
	int status = WIFEXITED(k->child.rstatus) ? WEXITSTATUS(k->child.rstatus) : -1;

	(void) pid;
	close(a->from);
	a->from = -1;
	text[n > 0 ? n : 0] = '\0';
	if (sup->stopping)
		return;
	if (!wt_allocation_has_ended(status, text)) {
		if (status != 0)
			sup_log(sup, "squeue of the hosts' job failed (%s): %.*s", how, (int) strcspn(text, "\n"), text);
		return;
	}
	sup->remove_folder = true;
	sup->frame->stop(sup, "the job whose nodes its hosts are has ended");
}

static int surroundings_leave(void)
{
	return unsetenv(WT_CLUSTER_KEY_ENV) < 0 || unsetenv("SLURM_CONF") < 0 ? -1 : 0;
}

void sup_allocation_ask(struct sup *sup)
{
	struct sup_allocation *a = sup->allocation;
	struct wt_error err;
	int ends[2];

	if (!a || a->keeper.pid > 0 || sup->stopping)
		return;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		sup_log(sup, "squeue: pipe: %s", strerror(errno));
		return;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	if (keeper_start_joined(&a->keeper, a->argv, a->log, surroundings_leave, -1, ends[1], &err) < 0) {
		sup_log(sup, "%s", err.text);
		close(ends[0]);
	} else {
		a->from = ends[0];
	}
	close(ends[1]);
}

int sup_allocation_init(struct sup *sup, struct wt_error *errp)
{
	struct sup_allocation *a;

	if (!sup->info.allocation_count || sup->info.part)
		return 0;
	sup->allocation = a = calloc(1, sizeof(*a));
	if (!a)
		return wt_error_errno(errp, ENOMEM, "allocation");
	a->from = -1;
	keeper_init(&a->keeper, sup->loop, answered, sup);
	a->argv = sup->info.allocation;		/* it ends with NULL */
	a->log = wt_clusterinfo_path(&sup->info, "hosts.log");
	return a->log ? 0 : wt_error_errno(errp, ENOMEM, "allocation");
}

void sup_allocation_clear(struct sup *sup)
{
	struct sup_allocation *a = sup->allocation;

	if (!a)
		return;
	if (a->from >= 0)
		close(a->from);
	free(a->log);
	free(a);
	sup->allocation = NULL;
}
