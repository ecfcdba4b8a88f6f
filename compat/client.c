/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/client.h"

#include "compat/features.h"
#include "lib/str.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "src/common/slurm_protocol_common.h"
#pragma GCC diagnostic pop

#ifdef WT_HAVE_OPAQUE_JOB_RESOURCES

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "src/common/job_resources.h"
#pragma GCC diagnostic pop

int compat_job_cpus(const slurm_job_info_t *job, uint32_t node)
{
	const job_resources_t *resources = job->job_resrcs;
	uint32_t behind = 0;

	/* Runs of nodes with the same number, as "cpus on 3 nodes: 16". */
	for (uint32_t i = 0; resources && i < resources->cpu_array_cnt; i++) {
		behind += resources->cpu_array_reps[i];
		if (node < behind)
			return resources->cpu_array_value[i];
	}
	return 0;
}

#else

int compat_job_cpus(const slurm_job_info_t *job, uint32_t node)
{
	return job->job_resrcs ? slurm_job_cpus_allocated_on_node_id(job->job_resrcs, (int) node) : 0;
}

#endif

/* Of the two that make room themselves, 24.11 has only the one whose text libslurm alone can free. */
char *compat_hosts_text(compat_hostlist list)
{
	char *text = NULL, *larger;
	size_t size = 256;

	do {
		size *= 2;
		larger = realloc(text, size);
		if (!larger) {
			free(text);
			return NULL;
		}
		text = larger;
		*text = '\0';
	} while (slurm_hostlist_ranged_string(list, size, text) < 0);	/* it does not fit */
	return text;
}

/* libslurm exports it, slurm.h does not declare it. */
#ifdef WT_HAVE_JOB_STATE_REASON

extern char *slurm_job_state_reason_string(enum job_state_reason reason);

const char *compat_job_reason(uint32_t reason)
{
	return slurm_job_state_reason_string((enum job_state_reason) reason);
}

#else

extern char *slurm_job_reason_string(enum job_state_reason reason);

const char *compat_job_reason(uint32_t reason)
{
	return slurm_job_reason_string((enum job_state_reason) reason);
}

#endif

/* The answer is unpacked by the topology's plugin, which the public library cannot load: it lacks what the plugin needs of
 * libslurmfull.  scontrol can. */
#ifdef WT_HAVE_TOPOLOGY_EVAL

/* Its output, or NULL with errno. */
static FILE *scontrol_open(pid_t *pid)
{
	static char *const argv[] = { (char *) "scontrol", (char *) "show", (char *) "topology", NULL };
	posix_spawn_file_actions_t files;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return NULL;
	rc = posix_spawn_file_actions_init(&files);
	if (!rc) {
		posix_spawn_file_actions_adddup2(&files, fds[1], STDOUT_FILENO);
		rc = posix_spawnp(pid, WT_SCONTROL, &files, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&files);
	}
	close(fds[1]);
	if (!rc)
		return fdopen(fds[0], "r");
	close(fds[0]);
	errno = rc;
	return NULL;
}

/* "SwitchName=s Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]": topology.conf has no levels, and names nodes for leaves
 * alone. */
static void switch_write(char *line, FILE *out)
{
	bool upper = strstr(line, " Switches=");
	char *word;

	if (strncmp(line, "SwitchName=", 11))
		return;
	while ((word = strsep(&line, " \n")))
		if (*word && strncmp(word, "Level=", 6) && !(upper && !strncmp(word, "Nodes=", 6)))
			fprintf(out, "%s ", word);
	fputc('\n', out);
}

/* 0, or an error number. */
static int topology_write(FILE *out)
{
	FILE *in;
	char *line = NULL;
	size_t size = 0;
	pid_t pid = -1;
	int status = -1;

	unsetenv("SLURM_TOPO_LEN");	/* it cuts lines */
	in = scontrol_open(&pid);
	if (!in)
		return errno;
	while (getline(&line, &size, in) > 0)
		switch_write(line, out);
	free(line);
	fclose(in);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? EIO : 0;	/* scontrol has said why */
}

#else

/* topology/tree names the nodes of the upper switches, too.  0, or Slurm's error. */
static int topology_write(FILE *out)
{
	topo_info_response_msg_t *topo = NULL;

	if (slurm_load_topo(&topo))
		return errno;
	for (uint32_t i = 0; i < topo->record_count; i++) {
		const topo_info_t *from = &topo->topo_array[i];
		bool leaf = !from->switches || !*from->switches;

		fprintf(out, "SwitchName=%s LinkSpeed=%u %s=%s\n", from->name, from->link_speed,
			leaf ? "Nodes" : "Switches", leaf ? from->nodes : from->switches);
	}
	slurm_free_topo_info_msg(topo);
	return 0;
}

#endif

char *compat_topology_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? topology_write(out) : errno;

	if (out && fclose(out) != 0 && !rc)
		rc = ENOMEM;
	if (!rc)
		return text;
	free(text);
	errno = rc;
	return NULL;
}

uint16_t compat_protocol_version(void)
{
	return SLURM_PROTOCOL_VERSION;
}

const char *compat_no_database_caveat(void)
{
	/* Before 23.11 errno happens to be 0 there. */
#if defined(WT_HAVE_DATABASE_ERRNO) && defined(WT_HAVE_LIST_POINTERS)
	return "without slurmdbd slurmctld of this release starts jobs by backfill alone, every 30 s (a fault of Slurm, "
	       "repaired in 24.11): use --accounting, or another release";
#else
	return NULL;
#endif
}

/* resolv.conf (5): without an attempt there is no question, and the answer is "unknown" at once; /etc/hosts is read.
 * Of what is given twice the last counts. */
int compat_names_local(void)
{
#ifdef WT_HAVE_PEER_NAMES
	const char *before = getenv("RES_OPTIONS");
	char *options = wt_str_format("%s%sattempts:0", before ? before : "", before && *before ? " " : "");
	int rc = options ? setenv("RES_OPTIONS", options, 1) : -1;

	free(options);
	return rc;
#else
	return 0;
#endif
}

#ifdef WT_HAVE_TRES_SLASH
#define TRES_GRES "gres/"
#else
#define TRES_GRES "gres:"
#endif

char *compat_tres_gres(const char *before, const char *list, bool gpus)
{
	const char *mark = before && *before ? "," : "";
	char *text = NULL, *at;
	size_t size, len;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(before ? before : "", out);
	for (at = (char *) list; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",");
		/* Users write either spelling; the release wants its own. */
		if (!strncmp(at, "gres:", 5) || !strncmp(at, "gres/", 5)) {
			at += 5;
			len -= 5;
		}
		if (len)
			fprintf(out, "%s" TRES_GRES "%s%.*s", mark, gpus ? "gpu:" : "", (int) len, at);
		mark = ",";
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* A list that 0 ends in older releases, one number in newer ones: the field's own type tells. */
static inline void count_list_set(void *field, uint32_t nodes, uint32_t *room)
{
	room[0] = nodes;
	room[1] = 0;
	*(uint32_t **) field = room;
}

static inline void count_set(void *field, uint32_t nodes, uint32_t *room)
{
	(void) room;
	*(uint32_t *) field = nodes;
}

void compat_reservation_count(resv_desc_msg_t *msg, uint32_t nodes, uint32_t room[2])
{
	(void) count_set;
	(void) count_list_set;
	_Generic(msg->node_cnt, uint32_t *: count_list_set, uint32_t: count_set)(&msg->node_cnt, nodes, room);
}
