/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "lib/json.h"
#include "lib/str.h"

char *wt_clusterinfo_path(const struct wt_clusterinfo *info, const char *file)
{
	return wt_str_format("%s/%s", info->dir, file);
}

bool wt_clusterinfo_real_nodes(const struct wt_clusterinfo *info)
{
	return info->backend && !strcmp(info->backend, WT_BACKEND_SLURMD);
}

int wt_clusterinfo_uuid(char text[37], struct wt_error *errp)
{
	uint8_t b[16];
	size_t at = 0;

	if (getrandom(b, sizeof(b), 0) != (ssize_t) sizeof(b))
		return wt_error_errno(errp, errno, "getrandom");
	/* RFC 4122, version 4: random. */
	b[6] = (uint8_t) ((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t) ((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof(b); i++)
		at += (size_t) snprintf(text + at, 37 - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
					b[i]);
	return 0;
}

static int texts_copy(char ***list, size_t *list_count, char *const *texts, size_t count, struct wt_error *errp)
{
	*list = calloc(count + 1, sizeof(**list));
	for (size_t i = 0; *list && i < count; i++) {
		(*list)[i] = strdup(texts[i]);
		if (!(*list)[i])
			return wt_error_errno(errp, ENOMEM, "settings of nodes");
		++*list_count;
	}
	return *list ? 0 : wt_error_errno(errp, ENOMEM, "settings of nodes");
}

int wt_clusterinfo_node_settings(struct wt_clusterinfo *info, char *const *settings, size_t count, struct wt_error *errp)
{
	return texts_copy(&info->node_settings, &info->node_setting_count, settings, count, errp);
}

int wt_clusterinfo_elastic(struct wt_clusterinfo *info, char *const *settings, size_t count, struct wt_error *errp)
{
	return texts_copy(&info->elastic, &info->elastic_count, settings, count, errp);
}

int wt_clusterinfo_engine(struct wt_clusterinfo *info, char *const *words, size_t count, struct wt_error *errp)
{
	return texts_copy(&info->engine, &info->engine_count, words, count, errp);
}

int wt_clusterinfo_allocation(struct wt_clusterinfo *info, char *const *words, size_t count, struct wt_error *errp)
{
	return texts_copy(&info->allocation, &info->allocation_count, words, count, errp);
}

static json_t *texts_json(char *const *texts, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, wt_json_text(texts[i]));
	return list;
}

/* Not there in the file of an older version: none. */
static int texts_read(const json_t *v, const char *key, const char *where, char ***to, size_t *to_count,
		      struct wt_error *errp)
{
	const json_t *list = json_object_get(v, key);
	size_t count = json_array_size(list);
	const char **texts = calloc(count + 1, sizeof(*texts));
	int rc = 0;

	for (size_t i = 0; texts && rc == 0 && i < count; i++) {
		texts[i] = json_string_value(json_array_get(list, i));
		if (!texts[i])
			rc = wt_error_set(errp, EINVAL, "%s: '%s' must hold strings", where, key);
	}
	if (!texts)
		rc = wt_error_errno(errp, ENOMEM, "%s", where);
	if (rc == 0)
		rc = texts_copy(to, to_count, (char *const *) texts, count, errp);
	free(texts);
	return rc;
}

static json_t *hosts_json(const struct wt_hosts *hosts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < hosts->count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I}", "name", hosts->list[i].name, "address",
						      hosts->list[i].address, "first", (json_int_t) hosts->list[i].first,
						      "nodes", (json_int_t) hosts->list[i].count));
	return list;
}

/* By the words of the file that they come of, so that what is good here is what is good there. */
static int hosts_read(const json_t *v, const char *where, struct wt_clusterinfo *info, struct wt_error *errp)
{
	const json_t *list = json_object_get(v, "hosts"), *one;
	const char *part = json_string_value(json_object_get(v, "part"));
	struct wt_str text = { 0 };
	char *lines;
	size_t i;
	int rc;

	if (!json_array_size(list))
		return 0;
	json_array_foreach(list, i, one) {
		const char *name = wt_json_string(one, "name", where, errp);
		const char *address = name ? wt_json_string(one, "address", where, errp) : NULL;
		int64_t nodes;

		if (!address || wt_json_integer(one, "nodes", where, &nodes, errp) < 0) {
			wt_str_clear(&text);
			return -1;
		}
		wt_str_printf(&text, "%s address=%s nodes=%lld\n", name, address, (long long) nodes);
	}
	lines = wt_str_take(&text);
	rc = lines ? wt_hosts_parse(&info->hosts, lines, where, errp) : wt_error_errno(errp, ENOMEM, "%s", where);
	free(lines);
	if (rc < 0)
		return -1;
	if (wt_hosts_share(&info->hosts, info->nodes, errp) < 0)
		return wt_error_prefix(errp, "%s", where);
	for (i = 0; part && i < info->hosts.count; i++)
		if (!strcmp(info->hosts.list[i].name, part))
			info->part = &info->hosts.list[i];
	return part && !info->part ? wt_error_set(errp, EINVAL, "%s: 'part' is none of 'hosts'", where) : 0;
}

/* Texts that may be missing: null in the file, or not there in that of an older version. */
struct optional_text {
	const char *key;
	char **text;
};

#define OPTIONAL_TEXTS(info)                                                                                         \
	{ { "virtual_clock", &(info)->clock }, { "nss_wrapper", &(info)->nss_wrapper },                             \
	  { "allocator", &(info)->allocator }, { "site", &(info)->site } }

static int optional_save(json_t *v, const struct wt_clusterinfo *info)
{
	struct wt_clusterinfo texts = *info;
	const struct optional_text all[] = OPTIONAL_TEXTS(&texts);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (json_object_set_new(v, all[i].key, *all[i].text ? wt_json_text(*all[i].text) : json_null()) < 0)
			return -1;
	return 0;
}

int wt_clusterinfo_save(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *conf = wt_clusterinfo_path(info, "slurm.conf"), *path = wt_clusterinfo_path(info, "cluster.json");
	json_t *v = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "name", info->name, "uuid", info->uuid,
			      "backend", info->backend, "shape", info->shape_text, "slurm_conf", conf ? conf : "",
			      "controller_addr", info->controller_addr, "windtunnel_version", PACKAGE_VERSION,
			      "slurm_version", WT_SLURM_VERSION);
	json_t *n = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:b, s:b, s:b, s:b, s:s, "
			      "s:I}",
			      "nodes", (json_int_t) info->nodes, "dynamic_nodes", (json_int_t) info->dynamic_nodes,
			      "cpus_per_node", (json_int_t) info->shape.cpus, "sockets", (json_int_t) info->shape.sockets,
			      "cores_per_socket", (json_int_t) info->shape.cores_per_socket,
			      "threads_per_core", (json_int_t) info->shape.threads_per_core,
			      "memory_mib", (json_int_t) info->shape.memory_mib, "network", (json_int_t) info->network,
			      "controller_port", (json_int_t) info->controller_port,
			      "nodes_port", (json_int_t) info->nodes_port, "lock_port", (json_int_t) info->lock_port,
			      "slurmdbd_port", (json_int_t) info->slurmdbd_port,
			      "created_s", (double) info->created_us / 1e6, "own_host_name", info->own_host_name,
			      "nodes_begin_off", info->nodes_begin_off, "listens_everywhere", info->listens_everywhere,
			      "accounting", info->accounting, "credentials", info->sealed_in_process ? "process" : "munged",
			      "save_interval_s", (json_int_t) info->save_interval_s);
	int rc;

	if (!conf || !path || !v || !n || json_object_update(v, n) < 0 ||
	    json_object_set_new(v, "node_settings", texts_json(info->node_settings, info->node_setting_count)) < 0 ||
	    json_object_set_new(v, "elastic", texts_json(info->elastic, info->elastic_count)) < 0 ||
	    json_object_set_new(v, "hosts", hosts_json(&info->hosts)) < 0 ||
	    json_object_set_new(v, "engine", texts_json(info->engine, info->engine_count)) < 0 ||
	    json_object_set_new(v, "allocation", texts_json(info->allocation, info->allocation_count)) < 0 ||
	    (info->part && json_object_set_new(v, "part", json_string(info->part->name)) < 0) ||
	    json_object_set_new(v, "default_run_time_s", info->run_time_given ? json_real(info->default_run_time_s) :
				json_null()) < 0 ||
	    optional_save(v, info) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", path ? path : "cluster.json");
	else
		rc = wt_json_save(path, v, errp);
	json_decref(v);
	json_decref(n);
	free(conf);
	free(path);
	return rc;
}

static char *string_copy(const json_t *v, const char *key, const char *where, struct wt_error *errp)
{
	const char *text = wt_json_string(v, key, where, errp);
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		wt_error_errno(errp, ENOMEM, "%s", where);
	return copy;
}

/* Not there in the file of an older version: munged. */
static bool sealed_in_process(const json_t *v)
{
	const char *text = json_string_value(json_object_get(v, "credentials"));

	return text && !strcmp(text, "process");
}

static int optional_read(const json_t *v, const char *where, struct wt_clusterinfo *info, struct wt_error *errp)
{
	const struct optional_text all[] = OPTIONAL_TEXTS(info);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (json_is_string(json_object_get(v, all[i].key)) &&
		    !(*all[i].text = string_copy(v, all[i].key, where, errp)))
			return -1;
	return 0;
}

static int number_read(const json_t *v, const char *key, int64_t max, const char *where, int64_t *value,
		       struct wt_error *errp)
{
	if (wt_json_integer(v, key, where, value, errp) < 0)
		return -1;
	if (*value < 0 || *value > max)
		return wt_error_set(errp, EINVAL, "%s: '%s' is out of range", where, key);
	return 0;
}

/* Not there in the file of an older version. */
static int new_numbers_read(const json_t *v, const char *where, struct wt_clusterinfo *info, struct wt_error *errp)
{
	int64_t seconds = 0, nodes = 0;

	if (json_object_get(v, "save_interval_s") &&
	    number_read(v, "save_interval_s", WT_SAVE_INTERVAL_MAX_S, where, &seconds, errp) < 0)
		return -1;
	if (json_object_get(v, "dynamic_nodes") && number_read(v, "dynamic_nodes", 65536, where, &nodes, errp) < 0)
		return -1;
	info->save_interval_s = (uint32_t) seconds;
	info->dynamic_nodes = (uint32_t) nodes;
	return 0;
}

static int numbers_read(const json_t *v, const char *where, struct wt_clusterinfo *info, struct wt_error *errp)
{
	int64_t n[10];
	double created;

	if (number_read(v, "nodes", 65536, where, &n[0], errp) < 0 ||
	    number_read(v, "cpus_per_node", 65535, where, &n[1], errp) < 0 ||
	    number_read(v, "sockets", 65535, where, &n[2], errp) < 0 ||
	    number_read(v, "cores_per_socket", 65535, where, &n[3], errp) < 0 ||
	    number_read(v, "threads_per_core", 65535, where, &n[4], errp) < 0 ||
	    number_read(v, "memory_mib", INT64_MAX, where, &n[5], errp) < 0 ||
	    number_read(v, "controller_port", 65535, where, &n[6], errp) < 0 ||
	    number_read(v, "nodes_port", 65535, where, &n[7], errp) < 0 ||
	    number_read(v, "lock_port", 65535, where, &n[8], errp) < 0 ||
	    number_read(v, "network", 254, where, &n[9], errp) < 0 ||
	    wt_json_number(v, "created_s", where, &created, errp) < 0)
		return -1;
	info->nodes = (uint32_t) n[0];
	info->shape = (struct wt_shape) {
		.cpus = (uint32_t) n[1], .sockets = (uint32_t) n[2], .cores_per_socket = (uint32_t) n[3],
		.threads_per_core = (uint32_t) n[4], .memory_mib = (uint64_t) n[5],
	};
	info->controller_port = (uint16_t) n[6];
	info->nodes_port = (uint16_t) n[7];
	info->lock_port = (uint16_t) n[8];
	info->network = (unsigned int) n[9];
	info->own_host_name = json_is_true(json_object_get(v, "own_host_name"));
	info->listens_everywhere = json_is_true(json_object_get(v, "listens_everywhere"));
	/* These two are not there in the file of an older version. */
	info->nodes_begin_off = json_is_true(json_object_get(v, "nodes_begin_off"));
	info->accounting = json_is_true(json_object_get(v, "accounting"));
	if (info->accounting && number_read(v, "slurmdbd_port", 65535, where, &n[0], errp) < 0)
		return -1;
	info->sealed_in_process = sealed_in_process(v);
	info->slurmdbd_port = info->accounting ? (uint16_t) n[0] : 0;
	info->created_us = (int64_t) (created * 1e6);
	info->run_time_given = json_is_number(json_object_get(v, "default_run_time_s"));
	info->default_run_time_s = json_number_value(json_object_get(v, "default_run_time_s"));
	return new_numbers_read(v, where, info, errp);
}

int wt_clusterinfo_load(const char *dir, struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *path = wt_str_format("%s/cluster.json", dir);
	json_t *v = path ? wt_json_load(path, errp) : NULL;
	int rc = -1;

	memset(info, 0, sizeof(*info));
	info->dir = strdup(dir);
	if (v && info->dir && (info->name = string_copy(v, "name", path, errp)) &&
	    (info->uuid = string_copy(v, "uuid", path, errp)) && (info->backend = string_copy(v, "backend", path, errp)) &&
	    (info->shape_text = string_copy(v, "shape", path, errp)) &&
	    (info->controller_addr = string_copy(v, "controller_addr", path, errp)))
		rc = numbers_read(v, path, info, errp);
	if (rc == 0)
		rc = texts_read(v, "node_settings", path, &info->node_settings, &info->node_setting_count, errp);
	if (rc == 0)
		rc = texts_read(v, "elastic", path, &info->elastic, &info->elastic_count, errp);
	if (rc == 0)
		rc = texts_read(v, "engine", path, &info->engine, &info->engine_count, errp);
	if (rc == 0)
		rc = texts_read(v, "allocation", path, &info->allocation, &info->allocation_count, errp);
	if (rc == 0)
		rc = hosts_read(v, path, info, errp);
	if (rc == 0)
		rc = optional_read(v, path, info, errp);
	if (rc == 0 && json_is_string(json_object_get(v, "slurm_version")) &&
	    !(info->slurm_version = string_copy(v, "slurm_version", path, errp)))
		rc = -1;
	if (rc < 0)
		wt_clusterinfo_clear(info);
	if (v)
		json_decref(v);
	free(path);
	return rc;
}

void wt_clusterinfo_clear(struct wt_clusterinfo *info)
{
	int saved_errno = errno;

	free(info->name);
	free(info->uuid);
	free(info->backend);
	free(info->shape_text);
	free(info->controller_addr);
	free(info->dir);
	free(info->clock);
	free(info->slurm_version);
	free(info->nss_wrapper);
	free(info->allocator);
	free(info->site);
	for (size_t i = 0; i < info->node_setting_count; i++)
		free(info->node_settings[i]);
	free(info->node_settings);
	for (size_t i = 0; i < info->elastic_count; i++)
		free(info->elastic[i]);
	free(info->elastic);
	for (size_t i = 0; i < info->engine_count; i++)
		free(info->engine[i]);
	free(info->engine);
	for (size_t i = 0; i < info->allocation_count; i++)
		free(info->allocation[i]);
	free(info->allocation);
	wt_hosts_clear(&info->hosts);
	memset(info, 0, sizeof(*info));
	errno = saved_errno;
}
