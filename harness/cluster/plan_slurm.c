/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --hosts slurm: the nodes of the allocation of another Slurm cluster in which we are, as hosts of ours; srun of that
 * cluster begins what runs there. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/allocation.h"
#include "harness/cluster/folder/address.h"
#include "lib/other_program.h"
#include "lib/str.h"

#define SAID_BYTES_MAX ((size_t) 4 << 20)
#define WORDS_MAX 24

extern char **environ;

struct allocation {
	const char *job, *nodelist;	/* of the environment */
	char *srun, *scontrol, *squeue;
	struct wt_allocated *nodes;
	char (*addresses)[WT_HOST_ADDRESS_SIZE];
	size_t count, own;		/* own: this machine's place; count: it is none of them */
	char own_address[WT_HOST_ADDRESS_SIZE];
};

static int programs_find(struct allocation *a, struct wt_error *errp)
{
	const struct {
		const char *name;
		char **path;
	} all[] = { { "srun", &a->srun }, { "scontrol", &a->scontrol }, { "squeue", &a->squeue } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i].path = wt_program_in(getenv("PATH"), all[i].name);
		if (!*all[i].path)
			return wt_error_set(errp, ENOENT,
					    "there is no %s in PATH: it needs the commands of the cluster that job %s is of",
					    all[i].name, a->job);
	}
	return 0;
}

/* In 'text', which it cuts: its last line says what came of the others. */
static const char *last_line(char *text)
{
	size_t len = strlen(text);
	const char *line;

	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

/* In our own surroundings, as the user would ask. */
static int nodes_ask(struct allocation *a, struct wt_error *errp)
{
	char *argv[] = { a->scontrol, (char *) "-o", (char *) "show", (char *) "node", (char *) a->nodelist, NULL };
	char *said, *line;
	int status = wt_program_ask(argv, environ, SAID_BYTES_MAX, &said, errp), rc = -1;

	if (status < 0)
		return -1;
	if (status == 0) {
		rc = wt_allocation_nodes(said, &a->nodes, &a->count, errp);
	} else {
		line = wt_str_make_line(last_line(said), 200);
		wt_error_set(errp, EIO, "'scontrol show node %s' failed (exit %d) and said: %s", a->nodelist, status,
			     line ? line : "?");
		free(line);
	}
	free(said);
	return rc;
}

/* A machine's own name often leads to a loopback address there, which nobody else reaches. */
static int addresses_find(struct allocation *a, struct wt_error *errp)
{
	a->addresses = calloc(a->count, sizeof(*a->addresses));
	if (!a->addresses)
		return wt_error_errno(errp, ENOMEM, "addresses");
	a->own = a->count;
	for (size_t i = 0; i < a->count; i++) {
		int own;

		if (wt_address_of(a->nodes[i].address, a->addresses[i], errp) < 0)
			return wt_error_prefix(errp, "node %s", a->nodes[i].name);
		own = a->own == a->count ? wt_address_is_own(a->addresses[i], errp) : 0;
		if (own < 0)
			return -1;
		if (own)
			a->own = i;
	}
	if (a->count == 1 && a->own == 0)
		return wt_error_set(errp, EINVAL,
				    "job %s has this node alone: leave --hosts out, or allocate more (salloc -N 4)", a->job);
	if (a->own < a->count && strncmp(a->addresses[a->own], "127.", 4)) {
		strcpy(a->own_address, a->addresses[a->own]);
		return 0;
	}
	return wt_address_towards(a->addresses[a->own == 0], a->own_address, errp);
}

/* The text of a file of hosts: this machine first, without nodes where it is none of the allocation. */
static char *hosts_text(const struct allocation *a)
{
	struct wt_str text = { 0 };
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	if (a->own == a->count)
		wt_str_printf(&text, "%s address=%s nodes=0\n", host[0] ? host : "localhost", a->own_address);
	else
		wt_str_printf(&text, "%s address=%s\n", a->nodes[a->own].name, a->own_address);
	for (size_t i = 0; i < a->count; i++)
		if (i != a->own)
			wt_str_printf(&text, "%s address=%s\n", a->nodes[i].name, a->addresses[i]);
	return wt_str_take(&text);
}

struct engine_words {
	char *list[WORDS_MAX];
	size_t count;
	bool failed;
};

/* It is freed by words_free (). */
static void word_add(struct engine_words *w, char *word)
{
	if (word && w->count < WORDS_MAX)
		w->list[w->count++] = word;
	else
		w->failed = true;
}

static void words_free(struct engine_words *w)
{
	while (w->count)
		free(w->list[--w->count]);
}

/* What leads to the other cluster: our daemons, and what starts them, have none of its settings. */
static void surroundings_add(struct engine_words *w)
{
	static const char *const names[] = { "SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_WORKING_CLUSTER" };

	word_add(w, strdup("/usr/bin/env"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			word_add(w, wt_str_format("%s=%s", names[i], value));
	}
}

/* A step of all that the job has on the node, beside its other steps; its input and output are ours, its end is ours. */
static int engine_take(const struct allocation *a, struct wt_clusterinfo *info, struct wt_error *errp)
{
	static const char *const options[] = { "--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--cpu-bind=none",
			   "--mpi=none", "--export=ALL", "--input=all", "--chdir=/", "--quiet", "-w" };
	struct engine_words w = { .count = 0 };
	int rc;

	surroundings_add(&w);
	word_add(&w, strdup(a->srun));
	word_add(&w, wt_str_format("--jobid=%s", a->job));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		word_add(&w, strdup(options[i]));
	rc = w.failed ? wt_error_errno(errp, ENOMEM, "srun") : wt_clusterinfo_engine(info, w.list, w.count, errp);
	words_free(&w);
	return rc;
}

/* How the job is asked for; its complaint counts, too. */
static int question_take(const struct allocation *a, struct wt_clusterinfo *info, struct wt_error *errp)
{
	static const char *const before[] = { "/bin/sh", "-c", "exec \"$@\" 2>&1", "squeue" };
	static const char *const options[] = { "-h", "-t", "all", "-o", "%T", "-j" };
	struct engine_words w = { .count = 0 };
	int rc;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		word_add(&w, strdup(before[i]));
	surroundings_add(&w);
	word_add(&w, strdup(a->squeue));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		word_add(&w, strdup(options[i]));
	word_add(&w, strdup(a->job));
	rc = w.failed ? wt_error_errno(errp, ENOMEM, "squeue") : wt_clusterinfo_allocation(info, w.list, w.count, errp);
	words_free(&w);
	return rc;
}

static bool number_is(const char *text)
{
	return text && *text && !text[strspn(text, "0123456789")];
}

char *wt_plan_slurm(struct wt_clusterinfo *info, struct wt_error *errp)
{
	struct allocation a = { .job = getenv("SLURM_JOB_ID"), .nodelist = getenv("SLURM_JOB_NODELIST") };
	char *text = NULL;

	if (!number_is(a.job) || !a.nodelist || !*a.nodelist) {
		wt_error_set(errp, EINVAL, "this is no allocation of a Slurm cluster, SLURM_JOB_ID and SLURM_JOB_NODELIST "
			     "are not set: call it by salloc or sbatch (a file of that name: ./slurm)");
		return NULL;
	}
	if (getenv("SLURM_HET_SIZE")) {
		wt_error_set(errp, EINVAL, "job %s has several components (hetjob): allocate one (salloc without ':')",
			     a.job);
		return NULL;
	}
	if (programs_find(&a, errp) == 0 && nodes_ask(&a, errp) == 0 && addresses_find(&a, errp) == 0 &&
	    engine_take(&a, info, errp) == 0 && question_take(&a, info, errp) == 0 && !(text = hosts_text(&a)))
		wt_error_errno(errp, ENOMEM, "hosts");
	free(a.addresses);
	free(a.nodes);
	free(a.srun);
	free(a.scontrol);
	free(a.squeue);
	return text;
}
