/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/chooser.h"

#ifdef WT_HAVE_TOPOLOGY_EVAL
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "compat/topology_entry.h"

static void *entry_handle;
static struct topology_entry *entry;
static chooser_f chooser_asked;

#ifdef WT_HAVE_TOPOLOGY_LIST

static bool table_open(void)
{
	return true;
}

/* A partition may have a topology of its own. */
static bool is_other_tree(const topology_eval_t *e)
{
	return !e->tctx || e->tctx->plugin_ctx != atomic_load(&entry->tree);
}

const switch_record_t *choice_switches(int *count)
{
	const tree_context_t *tree = entry ? atomic_load(&entry->tree) : NULL;

	*count = tree && tree->switch_table ? tree->switch_count : 0;
	return *count > 0 ? tree->switch_table : NULL;
}

#else

static switch_record_t **switch_table;
static int *switch_count;

static bool table_open(void)
{
	switch_table = dlsym(entry_handle, "switch_record_table");
	switch_count = dlsym(entry_handle, "switch_record_cnt");
	return switch_table && switch_count;
}

static bool is_other_tree(const topology_eval_t *e)
{
	(void) e;
	return false;
}

const switch_record_t *choice_switches(int *count)
{
	*count = entry && *switch_table ? *switch_count : 0;
	return *count > 0 ? *switch_table : NULL;
}

#endif

static int eval_nodes(topology_eval_t *e)
{
	const struct choice c = {
		.job = e->job_ptr, .node_map = e->node_map, .avail_core = e->avail_core,
		.min_nodes = e->min_nodes, .max_nodes = e->max_nodes, .req_nodes = e->req_nodes,
		.avail = e->avail_res_array, .cr_type = e->cr_type, .prefer_alloc_nodes = e->prefer_alloc_nodes, .stock = e,
	};

	return is_other_tree(e) ? entry->stock(e) : chooser_asked(&c);
}

/* Slurm's own changes the question on the way: after a no the next one is to find it as it was. */
int choice_stock(const struct choice *c)
{
	topology_eval_t *e = c->stock, asked = *e;
	int rc = entry->stock(&asked);

	if (rc == SLURM_SUCCESS)
		*e = asked;
	return rc;
}

/* Ours lies beside this plugin, and is loaded by Slurm itself, as topology/tree: it is only looked up here. */
static void *entry_open(char path[PATH_MAX])
{
	Dl_info self = { 0 };
	const char *slash;

	if (!dladdr(&entry_handle, &self) || !self.dli_fname || !(slash = strrchr(self.dli_fname, '/')) ||
	    snprintf(path, PATH_MAX, "%.*s/" TOPOLOGY_ENTRY_FILE, (int) (slash - self.dli_fname), self.dli_fname) >=
	    PATH_MAX)
		return NULL;
	/* RTLD_NOLOAD: a second copy would have an entry of its own, which Slurm never calls. */
	return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

bool choice_attach(chooser_f chooser)
{
	char path[PATH_MAX] = TOPOLOGY_ENTRY_FILE;

	if (xstrcasecmp(slurm_conf.topology_plugin, "topology/tree")) {
		info("windtunnel bestfit: all jobs are left to Slurm: TopologyPlugin=%s, and only topology/tree is known",
		     slurm_conf.topology_plugin ? slurm_conf.topology_plugin : "");
		return false;
	}
	entry_handle = entry_open(path);
	if (entry_handle)
		entry = dlsym(entry_handle, TOPOLOGY_ENTRY_NAME);
	if (!entry || !entry->stock || !table_open()) {
		error("windtunnel bestfit: all jobs are left to Slurm: slurmctld's topology/tree is not %s", path);
		choice_detach();
		return false;
	}
	chooser_asked = chooser;
	/* Last: from here on other threads come to eval_nodes (), which needs all of the above. */
	atomic_store(&entry->ours, eval_nodes);
	return true;
}

void choice_detach(void)
{
	if (entry)
		atomic_store(&entry->ours, NULL);
	entry = NULL;
	if (entry_handle)
		dlclose(entry_handle);
	entry_handle = NULL;
}

bool choice_dragonfly(void)
{
	return xstrcasestr(slurm_conf.topology_param, "dragonfly");
}

bool choice_topo_optional(void)
{
	return xstrcasestr(slurm_conf.topology_param, "TopoOptional");
}

bool choice_serial_at_end(void)
{
	return xstrcasestr(slurm_conf.sched_params, "pack_serial_at_end");
}

#else

extern bool have_dragonfly, topo_optional, pack_serial_at_end;	/* select/cons_tres' own */

static int (*stock_choose)(job_record_t *, bitstr_t *, bitstr_t **, uint32_t, uint32_t, uint32_t, avail_res_t **, uint16_t,
			   bool, gres_mc_data_t *);
static chooser_f chooser_asked;

static int choose_nodes(job_record_t *job, bitstr_t *node_map, bitstr_t **avail_core, uint32_t min_nodes, uint32_t max_nodes,
			uint32_t req_nodes, avail_res_t **avail, uint16_t cr_type, bool prefer_alloc_nodes,
			gres_mc_data_t *tres_mc)
{
	const struct choice c = {
		.job = job, .node_map = node_map, .avail_core = avail_core,
		.min_nodes = min_nodes, .max_nodes = max_nodes, .req_nodes = req_nodes,
		.avail = avail, .cr_type = cr_type, .prefer_alloc_nodes = prefer_alloc_nodes, .stock = tres_mc,
	};

	return chooser_asked(&c);
}

int choice_stock(const struct choice *c)
{
	return stock_choose(c->job, c->node_map, c->avail_core, c->min_nodes, c->max_nodes, c->req_nodes, c->avail,
			    c->cr_type, c->prefer_alloc_nodes, c->stock);
}

bool choice_attach(chooser_f chooser)
{
	chooser_asked = chooser;
	/* Before ours takes its place: a test that comes in between finds Slurm's own. */
	stock_choose = cons_common_callbacks.choose_nodes;
	cons_common_callbacks.choose_nodes = choose_nodes;
	return true;
}

void choice_detach(void)
{
	if (stock_choose)
		cons_common_callbacks.choose_nodes = stock_choose;
	stock_choose = NULL;
}

const switch_record_t *choice_switches(int *count)
{
	*count = switch_record_table && switch_record_cnt > 0 ? switch_record_cnt : 0;
	return *count ? switch_record_table : NULL;
}

bool choice_dragonfly(void)
{
	return have_dragonfly;
}

bool choice_topo_optional(void)
{
	return topo_optional;
}

bool choice_serial_at_end(void)
{
	return pack_serial_at_end;
}

#endif
