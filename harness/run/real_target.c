/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm.h>

#include "compat/client.h"
#include "harness/run/real_target.h"
#include "lib/str.h"

/* What slurmctld answered. */
struct look {
	partition_info_msg_t *partitions;
	node_info_msg_t *nodes;
	job_info_msg_t *jobs;
	reserve_info_msg_t *reservations;
	uint64_t *members; /* the nodes in question */
	uint64_t *shown; /* nodes of jobs that we are shown */
};

static bool node_is(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static int look_begin(struct look *l, const struct run_real *options, const struct wt_partition *partition,
		      struct wt_error *errp)
{
	size_t bytes = (partition->table_size / 64 + 1) * sizeof(uint64_t);

	memset(l, 0, sizeof(*l));
	if (slurm_load_partitions(0, &l->partitions, SHOW_ALL | SHOW_LOCAL) ||
	    slurm_load_node(0, &l->nodes, SHOW_ALL | SHOW_LOCAL) || slurm_load_jobs(0, &l->jobs, SHOW_ALL | SHOW_LOCAL) ||
	    (options->reservation && slurm_load_reservations(0, &l->reservations)))
		return wt_error_set(errp, errno, "slurmctld does not tell who uses partition %s: %s", partition->name,
				    slurm_strerror(errno));
	l->members = wt_nodeset_create(partition->table_size);
	l->shown = wt_nodeset_create(partition->table_size);
	if (!l->members || !l->shown)
		return wt_error_errno(errp, ENOMEM, "partition %s", partition->name);
	memcpy(l->members, partition->members, bytes);
	/* The partition's members are indexes into slurmctld's table of nodes, which is another one now. */
	if (l->nodes->record_count != partition->table_size)
		return wt_error_set(errp, EAGAIN, "slurmctld's nodes changed while they were looked at: try again");
	return 0;
}

static void look_end(struct look *l)
{
	if (l->partitions)
		slurm_free_partition_info_msg(l->partitions);
	if (l->nodes)
		slurm_free_node_info_msg(l->nodes);
	if (l->jobs)
		slurm_free_job_info_msg(l->jobs);
	if (l->reservations)
		slurm_free_reservation_info_msg(l->reservations);
	free(l->members);
	free(l->shown);
}

/* Only the reservation's nodes. */
static int reservation_take(struct look *l, const char *name, const struct wt_partition *partition, struct wt_error *errp)
{
	uint64_t *reserved = wt_nodeset_create(partition->table_size);
	bool found = false, any = false;

	if (!reserved)
		return wt_error_errno(errp, ENOMEM, "reservation %s", name);
	for (uint32_t i = 0; i < l->reservations->record_count; i++) {
		const reserve_info_t *r = &l->reservations->reservation_array[i];

		if (!r->name || strcmp(r->name, name))
			continue;
		found = true;
		wt_nodeset_add(reserved, partition->table_size, r->node_inx);
	}
	for (uint32_t i = 0; i < partition->table_size / 64 + 1; i++)
		any |= (l->members[i] &= reserved[i]) != 0;
	free(reserved);
	if (!found)
		return wt_error_set(errp, EINVAL, "--reservation %s: there is none of this name", name);
	if (!any)
		return wt_error_set(errp, EINVAL, "--reservation %s: it has no nodes of partition %s", name,
				    partition->name);
	return 0;
}

enum node_kind { NODE_USABLE, NODE_BUSY, NODE_LOST };

/* Of a reservation, also one for maintenance, are the nodes that are taken with --reservation: then it is the run's. */
static enum node_kind node_kind(const struct look *l, uint32_t i)
{
	const node_info_t *node = &l->nodes->node_array[i];
	uint32_t base = node->node_state & NODE_STATE_BASE,
		 lost = NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND;

	if (!l->reservations)
		lost |= NODE_STATE_MAINT | NODE_STATE_RES;
	if (base == NODE_STATE_DOWN || base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE || node->node_state & lost)
		return NODE_LOST;
	return base == NODE_STATE_IDLE && !(node->node_state & NODE_STATE_COMPLETING) ? NODE_USABLE : NODE_BUSY;
}

/* "a,partition,c" has "partition"? */
static bool list_has(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; list && *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && !strncmp(list, name, len))
			return true;
	return false;
}

static bool on_nodes(const struct look *l, const int32_t *pairs, uint32_t table_size)
{
	for (const int32_t *pair = pairs; pair && pair[0] >= 0; pair += 2)
		for (uint32_t i = (uint32_t) pair[0]; i <= (uint32_t) pair[1] && i < table_size; i++)
			if (node_is(l->members, i))
				return true;
	return false;
}

/* Does the job wait for a partition that has some of the nodes? */
static bool waits_here(const struct look *l, const slurm_job_info_t *job, uint32_t table_size)
{
	for (uint32_t i = 0; i < l->partitions->record_count; i++) {
		const partition_info_t *p = &l->partitions->partition_array[i];

		if (p->name && list_has(job->partition, p->name) && on_nodes(l, p->node_inx, table_size))
			return true;
	}
	return false;
}

/* Jobs that run on the nodes, or wait for them, by whatever partition; with a reservation for that. */
static void jobs_count(struct real_machine *m, struct look *l, const struct run_real *options,
		       const struct wt_partition *partition)
{
	for (uint32_t i = 0; i < l->jobs->record_count; i++) {
		const slurm_job_info_t *job = &l->jobs->job_array[i];
		uint32_t base = job->job_state & JOB_STATE_BASE;
		bool pending = base == JOB_PENDING && !(job->job_state & JOB_COMPLETING), here;

		if (base >= JOB_COMPLETE && !(job->job_state & JOB_COMPLETING))
			continue;
		wt_nodeset_add(l->shown, partition->table_size, job->node_inx);
		if (pending && options->reservation)
			here = job->resv_name && !strcmp(job->resv_name, options->reservation);
		else
			here = pending ? waits_here(l, job, partition->table_size)
				       : on_nodes(l, job->node_inx, partition->table_size);
		if (!here)
			continue;
		if (job->user_id == getuid())
			m->own_jobs += !(job->job_state & JOB_COMPLETING);	/* of the run before this one */
		else if (pending)
			m->others_pending++;
		else
			m->others_running++;
	}
}

static void nodes_count(struct real_machine *m, const struct look *l)
{
	for (uint32_t i = 0; i < l->nodes->record_count; i++) {
		enum node_kind kind = node_kind(l, i);

		if (!node_is(l->members, i))
			continue;
		m->nodes++;
		m->nodes_idle += kind == NODE_USABLE;
		m->nodes_busy += kind == NODE_BUSY;
		m->nodes_down += kind == NODE_LOST;
		/* PrivateData=jobs hides others' jobs; that their nodes are busy it does not hide. */
		m->hidden_nodes += kind == NODE_BUSY && !node_is(l->shown, i);
	}
}

/* Keep 'most' of the nodes: idle ones, then those that are busy, in the order of the table. */
static int nodes_choose(struct look *l, uint64_t most, const struct wt_partition *partition, struct wt_error *errp)
{
	uint64_t *kept = wt_nodeset_create(partition->table_size), count = 0;

	/* Not left as they are: the cap would be passed over. */
	if (!kept)
		return wt_error_errno(errp, ENOMEM, "nodes of partition %s", partition->name);
	for (enum node_kind kind = NODE_USABLE; kind <= NODE_LOST; kind++)
		for (uint32_t i = 0; i < partition->table_size && count < most; i++)
			if (node_is(l->members, i) && node_kind(l, i) == kind) {
				kept[i / 64] |= (uint64_t) 1 << (i % 64);
				count++;
			}
	memcpy(l->members, kept, (partition->table_size / 64 + 1) * sizeof(uint64_t));
	free(kept);
	return 0;
}

/* sbatch has no "only these nodes" (--nodelist means all of them): the others are excluded. */
static int exclude_make(struct real_machine *m, const struct look *l, const struct wt_partition *partition,
			struct wt_error *errp)
{
	compat_hostlist list = slurm_hostlist_create(NULL);
	char *text;

	for (uint32_t i = 0; list && i < partition->table_size; i++)
		if (node_is(partition->members, i) && !node_is(l->members, i))
			slurm_hostlist_push_host(list, l->nodes->node_array[i].name);
	text = list ? compat_hosts_text(list) : NULL;
	if (list)
		slurm_hostlist_destroy(list);
	if (!text)
		return wt_error_errno(errp, ENOMEM, "nodes of partition %s", partition->name);
	m->exclude = *text ? text : NULL;
	if (!*text)
		free(text);
	return 0;
}

static void partition_reduce(struct real_machine *m, const struct look *l, struct wt_partition *partition)
{
	partition->nodes = partition->cpus = partition->cpus_per_node = 0;
	memcpy(partition->members, l->members, (partition->table_size / 64 + 1) * sizeof(uint64_t));
	for (uint32_t i = 0; i < partition->table_size; i++) {
		uint32_t cpus = l->nodes->node_array[i].cpus;

		if (!node_is(partition->members, i))
			continue;
		partition->nodes++;
		partition->cpus += cpus;
		if (node_kind(l, i) != NODE_LOST) {
			m->bounds.nodes++;
			m->bounds.cpus += cpus;
		}
		m->bounds.node_cpus = cpus > m->bounds.node_cpus ? cpus : m->bounds.node_cpus;
		if (cpus && (!partition->cpus_per_node || cpus < partition->cpus_per_node))
			partition->cpus_per_node = cpus;
	}
}

static bool allows_all(const char *list)
{
	return !list || !*list || !strcasecmp(list, "all");
}

static uint32_t limit_of(uint32_t value)
{
	return value == INFINITE || value == NO_VAL ? 0 : value;
}

/* A quality of service may lift the partition's limits for a job. */
static void partition_look(struct real_machine *m, const struct look *l, const char *name, bool limits_hold)
{
	for (uint32_t i = 0; i < l->partitions->record_count; i++) {
		const partition_info_t *p = &l->partitions->partition_array[i];

		if (!p->name || strcmp(p->name, name))
			continue;
		m->open_to_all = allows_all(p->allow_groups) && allows_all(p->allow_accounts);
		m->bounds.closed = p->state_up != PARTITION_UP;
		m->bounds.max_nodes = limits_hold ? limit_of(p->max_nodes) : 0;
		m->bounds.max_min = limits_hold ? limit_of(p->max_time) : 0;
	}
}

int real_machine_look(struct real_machine *m, const struct run_real *options, bool limits_hold,
		      struct wt_partition *partition, struct wt_error *errp)
{
	struct look l;
	int rc = look_begin(&l, options, partition, errp);

	memset(m, 0, sizeof(*m));
	if (rc == 0 && options->reservation)
		rc = reservation_take(&l, options->reservation, partition, errp);
	if (rc == 0) {
		m->looked = true;
		partition_look(m, &l, partition->name, limits_hold);
		jobs_count(m, &l, options, partition);
		nodes_count(m, &l);
		if (options->max_nodes && options->max_nodes < m->nodes) {
			rc = nodes_choose(&l, options->max_nodes, partition, errp);
			if (rc == 0)
				rc = exclude_make(m, &l, partition, errp);
		}
		partition_reduce(m, &l, partition);
		if (rc == 0 && !partition->cpus_per_node)
			rc = wt_error_set(errp, EINVAL, "partition %s: the nodes have no CPUs", partition->name);
	}
	look_end(&l);
	return rc;
}

void real_machine_clear(struct real_machine *m)
{
	free(m->exclude);
	memset(m, 0, sizeof(*m));
}

/* Others' jobs; and where all users may submit, a job may get company at any moment. */
static bool is_shared(const struct real_machine *m)
{
	return m->others_running || m->others_pending || m->hidden_nodes || (m->open_to_all && m->own_jobs);
}

static void users_tell(const struct real_machine *m, char *text, size_t size)
{
	int len = snprintf(text, size, "%u jobs of others run on its nodes and %u wait", m->others_running,
			   m->others_pending);

	if (m->own_jobs && len > 0 && (size_t) len < size)
		len += snprintf(text + len, size - (size_t) len, ", %u of your own are there", m->own_jobs);
	if (m->hidden_nodes && len > 0 && (size_t) len < size)
		snprintf(text + len, size - (size_t) len, ", %u nodes are busy with jobs that are not shown",
			 m->hidden_nodes);
}

int real_machine_refuse(const struct real_machine *m, const struct run_real *options, const char *partition,
			struct wt_error *errp)
{
	char text[256];

	if (options->shared || !is_shared(m))
		return 0;
	users_tell(m, text, sizeof(text));
	return wt_error_set(errp, EINVAL,
			    "%s %s is in use: %s: use nodes that nobody else has (--partition, --reservation), or submit "
			    "all the same with --shared",
			    options->reservation ? "reservation" : "partition",
			    options->reservation ? options->reservation : partition, text);
}

int real_machine_check(const struct real_machine *m, const struct run_real *options, const struct wt_partition *partition,
		       const struct wt_workload *w, struct wt_error *errp)
{
	struct real_need need;

	real_need_make(&need, w, partition->cpus_per_node);
	return real_cap_check(&need, options, errp) < 0 ? -1 : real_fit_check(&m->bounds, w, partition->name, errp);
}

void real_machine_print(FILE *out, const struct real_machine *m, const struct run_real *options,
			const struct wt_partition *partition, const struct wt_workload *w)
{
	struct real_need need;
	struct wt_error refusal;
	char text[256];

	real_need_make(&need, w, partition->cpus_per_node);
	users_tell(m, text, sizeof(text));
	fprintf(out, "a real cluster, partition %s%s%s: %u nodes, %u idle, %u busy, %u down, drained or reserved; %s\n",
		partition->name, options->reservation ? ", reservation " : "",
		options->reservation ? options->reservation : "", m->nodes, m->nodes_idle, m->nodes_busy, m->nodes_down,
		text);
	fprintf(out, "it would take up to %u nodes%s%s%s, submit %zu jobs, and need %.4g node hours (%.4g by time limits)\n",
		partition->nodes, m->exclude ? " (not " : "", m->exclude ? m->exclude : "", m->exclude ? ")" : "",
		need.jobs, need.node_hours, need.node_hours_limit);
	if (real_machine_refuse(m, options, partition->name, &refusal) < 0 ||
	    real_machine_check(m, options, partition, w, &refusal) < 0)
		fprintf(out, "it would be refused: %s\n", refusal.text);
}

json_t *real_machine_json(const struct real_machine *m, const struct wt_partition *partition, const struct real_need *need)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:s?, s:I, s:f, s:f}", "partition",
			 partition->name,
			 "nodes", (json_int_t) m->nodes, "nodes_idle", (json_int_t) m->nodes_idle, "nodes_busy",
			 (json_int_t) m->nodes_busy, "nodes_down", (json_int_t) m->nodes_down, "others_running",
			 (json_int_t) m->others_running, "others_pending", (json_int_t) m->others_pending, "own_jobs",
			 (json_int_t) m->own_jobs, "hidden_nodes", (json_int_t) m->hidden_nodes, "open_to_all",
			 (int) m->open_to_all, "nodes_used", (json_int_t) partition->nodes, "excluded", m->exclude, "jobs",
			 (json_int_t) need->jobs, "node_hours", need->node_hours, "node_hours_limit",
			 need->node_hours_limit);
}
