/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nodes say of themselves when they register. */
#include "harness/vnode/slurm/node_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#define MAX_BATCH_JOBS 4096	/* of one node: it has fewer CPUs */
#define MAX_STEPS 4096

/* The machine's time since boot, or the node's own when it has rebooted here. */
static void times_fill(const struct wt_daemon *daemon, uint32_t node, slurm_node_registration_status_msg_t *data)
{
	int64_t now_us = wt_daemon_now_us(daemon), booted_us = daemon->power.boots.booted_us[node];
	struct sysinfo system;

	sysinfo(&system);
	data->timestamp = now_us / 1000000;
	data->up_time = booted_us ? (uint32_t) ((now_us - booted_us) / 1000000) : (uint32_t) system.uptime;
	data->slurmd_start_time = (booted_us ? booted_us : daemon->time.start_us) / 1000000;
}

/* What runs there: up to MAX_BATCH_JOBS + MAX_STEPS. */
static uint32_t steps_fill(struct wt_model *model, uint32_t node, slurm_step_id_t *steps)
{
	uint32_t job_ids[MAX_BATCH_JOBS], filled = wt_model_batch_jobs(model, node, job_ids, MAX_BATCH_JOBS), count;
	struct wt_step_name names[MAX_STEPS];

	if (filled > MAX_BATCH_JOBS)
		filled = MAX_BATCH_JOBS;
	for (uint32_t i = 0; i < filled; i++)
		steps[i] = (slurm_step_id_t) {
			.job_id = job_ids[i], .step_id = SLURM_BATCH_SCRIPT, .step_het_comp = NO_VAL,
		};
	count = wt_model_node_steps(model, node, names, MAX_STEPS);
	for (uint32_t i = 0; i < count && i < MAX_STEPS; i++)
		steps[filled++] = (slurm_step_id_t) {
			.job_id = names[i].job_id, .step_id = names[i].step_id, .step_het_comp = names[i].step_het_comp,
		};
	return filled;
}

/* What slurmd -Z says of itself beyond that: the line that slurmctld makes the node of.  xfree () it; NULL: slurm.conf has
 * the node.  No port, as there: it is SlurmdPort. */
static char *joining_conf(const struct wt_node_class *hardware, const char *name)
{
	return hardware->joins ? xstrdup_printf("NodeName=%s CPUs=%u Boards=%u SocketsPerBoard=%u CoresPerSocket=%u "
						"ThreadsPerCore=%u RealMemory=%" PRIu64, name, hardware->cpus,
						hardware->boards, hardware->sockets / hardware->boards, hardware->cores,
						hardware->threads, hardware->memory_mib) : NULL;
}

/* As slurmd's _fill_registration_msg (), with the hardware that slurm.conf says. */
int wt_registration_pack(const struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	const struct wt_registration *own = &daemon->registration;
	const struct wt_node_class *hardware = wt_nodetable_class(daemon->nodes, request->node);
	char *name = (char *) wt_nodetable_name(daemon->nodes, request->node);
	slurm_node_registration_status_msg_t data = {
		.arch = own->arch, .os = own->os, .version = SLURM_VERSION_STRING, .hostname = name, .node_name = name,
		.flags = SLURMD_REG_FLAG_RESP, .cpus = hardware->cpus, .boards = hardware->boards,
		.sockets = hardware->sockets, .cores = hardware->cores, .threads = hardware->threads,
		.real_memory = hardware->memory_mib, .tmp_disk = hardware->tmp_disk_mib,
		.free_mem = hardware->memory_mib / 16 * 15, .hash_val = slurm_conf.hash_val,
		.gres_info = own->gres.count ? own->gres.infos[daemon->nodes->class_numbers[request->node]] : NULL,
	};
	slurm_step_id_t steps[MAX_BATCH_JOBS + MAX_STEPS];
	slurm_msg_t msg;
	int rc;

	times_fill(daemon, request->node, &data);
	data.job_count = steps_fill(daemon->model, request->node, steps);
	data.step_id = steps;
	data.status = request->status;
	data.dynamic_conf = joining_conf(hardware, name);
	data.dynamic_type = data.dynamic_conf ? DYN_NODE_NORM : DYN_NODE_NONE;
	data.energy = acct_gather_energy_alloc(1);
	wt_codec_request_init(&msg, MESSAGE_NODE_REGISTRATION_STATUS, &data);
	rc = wt_codec_pack(&msg, bytes, NULL);
	acct_gather_energy_destroy(data.energy);
	xfree(data.dynamic_conf);
	return rc;
}

static void system_read(struct wt_registration *registration)
{
	struct utsname name;

	/* It fails only for a bad address. */
	uname(&name);
	registration->arch = xstrdup(name.machine);
	registration->os = xstrdup_printf("%s %s %s", name.sysname, name.release, name.version);
}

int wt_registration_init(struct wt_registration *registration, uint32_t node_count, struct wt_error *errp)
{
	system_read(registration);
	registration->registry = wt_registry_create(node_count);
	registration->reconfigure.asked = calloc(node_count, 1);
	if (!registration->registry || !registration->reconfigure.asked)
		return wt_error_errno(errp, ENOMEM, "tables of %u nodes", node_count);
	return 0;
}

void wt_registration_fini(struct wt_registration *registration)
{
	wt_registry_destroy(registration->registry);
	free(registration->reconfigure.asked);
	wt_gres_free(&registration->gres);
	xfree(registration->arch);
	xfree(registration->os);
}
