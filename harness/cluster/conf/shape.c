/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/conf/shape.h"

/* Slurm keeps these counts in 16 bits, of which the top values mean "none" and "infinite" (NO_VAL16, INFINITE16). */
#define COUNT_MAX 0xfffd

/* hwloc's time to build a synthetic topology grows faster than the square of its size: 8192 CPUs take 14 s. */
#define SYNTHETIC_MAX 4096

/* The number of CPUs in "[type:]COUNT[(attributes)] ...", or more than SYNTHETIC_MAX; what is malformed is left to hwloc. */
static unsigned long synthetic_cpus(const char *text)
{
	unsigned long cpus = 1;

	while (*text && cpus <= SYNTHETIC_MAX) {
		const char *colon;
		unsigned long count;
		size_t len;

		text += strspn(text, " \t\n");
		if (*text == '(' || *text == '[') {
			text += strcspn(text, ")]");
			text += *text != '\0';
			continue;
		}
		len = strcspn(text, " \t\n([");
		colon = memchr(text, ':', len);
		count = strtoul(colon ? colon + 1 : text, NULL, 0);
		if (len && count > SYNTHETIC_MAX)
			return count;
		cpus *= len && count ? count : 1;
		text += len;
	}
	return cpus;
}

static bool text_is_file(const char *text)
{
	size_t len = strlen(text);

	return strchr(text, '/') || (len > 4 && !strcmp(text + len - 4, ".xml"));
}

static int topology_source(hwloc_topology_t topo, const char *text, struct wt_error *errp)
{
	if (!strcmp(text, "host"))
		return 0;
	if (text_is_file(text)) {
		if (access(text, R_OK) < 0)
			return wt_error_errno(errp, errno, "shape file %s", text);
		if (hwloc_topology_set_xml(topo, text) < 0)
			return wt_error_set(errp, EINVAL, "shape file %s: hwloc cannot read it (lstopo FILE.xml writes one)",
					    text);
		return 0;
	}
	if (synthetic_cpus(text) > SYNTHETIC_MAX)
		return wt_error_set(errp, EINVAL, "shape '%s': more than %d CPUs (hwloc would take minutes)", text,
				    SYNTHETIC_MAX);
	if (!*text || hwloc_topology_set_synthetic(topo, text) < 0)
		return wt_error_set(errp, EINVAL, "shape '%s' is neither \"host\", an .xml file, nor an hwloc synthetic "
				    "description such as \"" WT_SHAPE_DEFAULT "\"", text);
	return 0;
}

/* How many objects of 'type' each of the 'parents' holds; -1 when they differ. */
static int count_per_parent(hwloc_topology_t topo, hwloc_obj_type_t parent, hwloc_obj_type_t type)
{
	int parents = hwloc_get_nbobjs_by_type(topo, parent), each = -1;

	for (int i = 0; i < parents; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(topo, parent, (unsigned int) i);
		int n = hwloc_get_nbobjs_inside_cpuset_by_type(topo, obj->cpuset, type);

		if (each >= 0 && n != each)
			return -1;
		each = n;
	}
	return each;
}

static int shape_fill(hwloc_topology_t topo, const char *text, struct wt_shape *shape, struct wt_error *errp)
{
	int cpus = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU);
	int sockets = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PACKAGE);
	bool cores_known = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE) > 0;
	hwloc_obj_type_t socket_type = sockets > 0 ? HWLOC_OBJ_PACKAGE : HWLOC_OBJ_MACHINE;
	int cores = count_per_parent(topo, socket_type, cores_known ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU);
	int threads = cores_known ? count_per_parent(topo, HWLOC_OBJ_CORE, HWLOC_OBJ_PU) : 1;

	if (sockets <= 0)
		sockets = 1;	/* a description without packages is one */
	if (cores < 1)
		return wt_error_set(errp, EINVAL,
				    "shape '%s': its packages have different numbers of cores, but slurm.conf has one "
				    "CoresPerSocket; give a symmetric shape", text);
	if (threads < 1)
		return wt_error_set(errp, EINVAL,
				    "shape '%s': its cores have different numbers of hardware threads, but slurm.conf "
				    "has one ThreadsPerCore; give a symmetric shape", text);
	if (cpus > COUNT_MAX || sockets * cores * threads != cpus)
		return wt_error_set(errp, EINVAL,
				    "shape '%s': %d packages x %d cores x %d threads are not its %d CPUs, or more than "
				    "Slurm's %d", text, sockets, cores, threads, cpus, COUNT_MAX);
	shape->cpus = (uint32_t) cpus;
	shape->sockets = (uint32_t) sockets;
	shape->cores_per_socket = (uint32_t) cores;
	shape->threads_per_core = (uint32_t) threads;
	/* hwloc invents 1 GiB for each NUMA node of a synthetic description: not something the user said. */
	if (!strcmp(text, "host") || text_is_file(text))
		shape->memory_mib = hwloc_get_root_obj(topo)->total_memory >> 20;
	return 0;
}

int wt_shape_read(const char *text, struct wt_shape *shape, struct wt_error *errp)
{
	hwloc_topology_t topo;
	int rc;

	memset(shape, 0, sizeof(*shape));
	if (!text)
		text = WT_SHAPE_DEFAULT;
	if (hwloc_topology_init(&topo) < 0)
		return wt_error_errno(errp, errno, "hwloc");
	rc = topology_source(topo, text, errp);
	if (rc == 0 && hwloc_topology_load(topo) < 0)
		rc = wt_error_set(errp, EINVAL, "shape '%s': hwloc cannot load it", text);
	if (rc == 0)
		rc = shape_fill(topo, text, shape, errp);
	hwloc_topology_destroy(topo);
	return rc;
}
