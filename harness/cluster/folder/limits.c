/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/cluster/folder/limits.h"
#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/folder/ports.h"

static const char *lacking(const struct wt_limits *limits, uint64_t nodes)
{
	uint64_t table_kib = nodes * WT_LIMITS_TABLE_BYTES / 1024;

	if (nodes * (WT_LIMITS_NODE_KIB + WT_LIMITS_JOB_KIB + table_kib) > limits->memory_kib)
		return "memory (MemAvailable in /proc/meminfo)";
	if (nodes * (WT_LIMITS_NODE_PIDS + WT_LIMITS_JOB_PIDS) > limits->pids)
		return "process ids (kernel.pid_max, kernel.threads-max, ulimit -u)";
	return nodes > limits->ports ? "ports outside net.ipv4.ip_local_port_range" : NULL;
}

uint32_t wt_limits_nodes(const struct wt_limits *limits, const char **what)
{
	uint32_t fits = 0, above = WT_NODES_MAX + 1;

	/* What a node needs grows with their number (each keeps a table of all), so a division would not do. */
	while (above - fits > 1) {
		uint32_t middle = fits + (above - fits) / 2;

		if (lacking(limits, middle))
			above = middle;
		else
			fits = middle;
	}
	if (what)
		*what = above > WT_NODES_MAX ? "nodes that Slurm can have" : lacking(limits, above);
	return fits;
}

/* The number behind 'key' in a file of /proc. */
static int number_read(const char *path, const char *key, uint64_t *n, struct wt_error *errp)
{
	char *text;
	const char *at;
	int found;

	if (wt_fs_read(path, 65536, &text, NULL, errp) < 0)
		return -1;
	at = strstr(text, key);
	found = at ? sscanf(at + strlen(key), "%" SCNu64, n) : 0;
	free(text);
	return found == 1 ? 0 : wt_error_set(errp, EINVAL, "%s: no number behind '%s'", path, key);
}

static int pids_read(uint64_t *pids, struct wt_error *errp)
{
	uint64_t max, threads, running;
	struct rlimit limit;

	/* /proc/loadavg: "1.0 1.0 1.0 RUNNING/THREADS LAST_PID" */
	if (number_read("/proc/sys/kernel/pid_max", "", &max, errp) < 0 ||
	    number_read("/proc/sys/kernel/threads-max", "", &threads, errp) < 0 ||
	    number_read("/proc/loadavg", "/", &running, errp) < 0)
		return -1;
	max = threads < max ? threads : max;
	/* The kernel does not hold root to it. */
	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < max)
		max = limit.rlim_cur;
	*pids = max > running ? max - running : 0;
	return 0;
}

int wt_limits_read(struct wt_limits *limits, struct wt_error *errp)
{
	unsigned int low, high, ports;

	if (number_read("/proc/meminfo", "MemAvailable:", &limits->memory_kib, errp) < 0 ||
	    pids_read(&limits->pids, errp) < 0 || wt_ports_ephemeral(&low, &high, errp) < 0)
		return -1;
	ports = wt_ports_blocks(low, high) * WT_PORTS_BLOCK;
	limits->ports = ports > WT_PORTS_OWN ? ports - WT_PORTS_OWN : 0;
	return 0;
}

static int ports_check(unsigned int low, unsigned int high, uint32_t count, uint16_t first_port, struct wt_error *errp)
{
	if (first_port > high || (uint32_t) first_port + count <= low)
		return 0;
	return wt_error_set(errp, EINVAL,
			    "net.ipv4.ip_local_port_range is %u to %u and has ports of the nodes, %u to %" PRIu32
			    ": any connection could take them; set it as on the cluster's first host", low, high, first_port,
			    first_port + count - 1);
}

int wt_limits_virtual_part_check(uint64_t nofile, unsigned int low, unsigned int high, uint32_t count, uint16_t first_port,
				 struct wt_error *errp)
{
	if (nofile < (uint64_t) count + WT_LIMITS_VIRTUAL_FILES)
		return wt_error_set(errp, EINVAL, "nofile (ulimit -Hn) is %" PRIu64 " and too low: %" PRIu32
				    " are needed, a socket for each of %" PRIu32 " nodes and %d for connections", nofile,
				    count + WT_LIMITS_VIRTUAL_FILES, count, WT_LIMITS_VIRTUAL_FILES);
	return ports_check(low, high, count, first_port, errp);
}

int wt_limits_part_check(const struct wt_limits *limits, uint64_t nofile, unsigned int low, unsigned int high,
		   uint32_t count,
			 uint16_t first_port, struct wt_error *errp)
{
	struct wt_limits own = *limits;
	const char *what;
	uint32_t fit;

	if (nofile < WT_LIMITS_NODE_FILES)
		return wt_error_set(errp, EINVAL, "nofile (ulimit -n) is %" PRIu64 " and too low: %d are needed", nofile,
				    WT_LIMITS_NODE_FILES);
	if (ports_check(low, high, count, first_port, errp) < 0)
		return -1;
	own.ports = UINT32_MAX;		/* they were looked at one by one */
	fit = wt_limits_nodes(&own, &what);
	return count <= fit ? 0 : wt_error_set(errp, EINVAL,
			   "%" PRIu32 " nodes do not fit: %" PRIu32 " real nodes with a job each do; "
					       "what is short then: %s", count, fit, what);
}

/* What this host has. */
static int host_read(uint64_t *nofile, uint64_t *nofile_hard, unsigned int *low, unsigned int *high, struct wt_error *errp)
{
	struct rlimit files;

	if (wt_ports_ephemeral(low, high, errp) < 0)
		return -1;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return wt_error_errno(errp, errno, "RLIMIT_NOFILE");
	*nofile = files.rlim_cur;
	*nofile_hard = files.rlim_max;
	return 0;
}

int wt_limits_host_check(uint32_t count, uint16_t first_port, struct wt_error *errp)
{
	struct wt_limits limits;
	unsigned int low, high;
	uint64_t nofile = 0, hard = 0;

	if (wt_limits_read(&limits, errp) < 0 || host_read(&nofile, &hard, &low, &high, errp) < 0)
		return -1;
	return wt_limits_part_check(&limits, nofile, low, high, count, first_port, errp);
}

int wt_limits_virtual_check(uint32_t count, uint16_t first_port, struct wt_error *errp)
{
	unsigned int low, high;
	uint64_t nofile = 0, hard = 0;

	if (host_read(&nofile, &hard, &low, &high, errp) < 0)
		return -1;
	/* It takes all that it may. */
	return wt_limits_virtual_part_check(hard, low, high, count, first_port, errp);
}
