/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/folder/part_spec.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

#define FILE_BYTES_MAX ((size_t) 16 << 20)
#define KEY_BYTES_MAX ((size_t) 1024)

/* Which the daemons of a host read; those that a cluster does not have are not sent. */
static const char *const files[] = { "slurm.conf", "cgroup.conf", "topology.conf" };
#define FILES (sizeof(files) / sizeof(files[0]))

static int file_add(json_t *to, const struct wt_clusterinfo *info, const char *name, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, name), *text = NULL;
	int rc = path ? wt_fs_read(path, FILE_BYTES_MAX, &text, NULL, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	if (rc < 0 && errno == ENOENT)
		rc = 0;
	else if (rc == 0 && json_object_set_new(to, name, json_string(text)) < 0)
		rc = wt_error_set(errp, EINVAL, "%s is not UTF-8: it cannot be sent to a host", path);
	free(text);
	free(path);
	return rc;
}

static int key_add(json_t *spec, const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, "munge/key"), *key = NULL, *hex;
	size_t len = 0;
	int rc = path ? wt_fs_read(path, KEY_BYTES_MAX, &key, &len, errp) : wt_error_errno(errp, ENOMEM, "munge/key");

	free(path);
	if (rc < 0)
		return -1;
	hex = calloc(2, len + 1);
	for (size_t i = 0; hex && i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char) key[i]);
	if (!hex || json_object_set_new(spec, "munge_key", json_string(hex)) < 0)
		rc = wt_error_errno(errp, ENOMEM, "munge/key");
	explicit_bzero(key, len);
	if (hex)
		explicit_bzero(hex, 2 * len);
	free(hex);
	free(key);
	return rc;
}

char *part_spec_make(const struct wt_clusterinfo *info, const struct wt_host *host, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, "cluster.json"), *text = NULL;
	json_t *cluster = path ? wt_json_load(path, errp) : NULL, *to = json_object(), *spec = NULL;
	int rc = cluster ? json_object_set_new(cluster, "part", json_string(host->name)) : -1;

	for (size_t i = 0; rc == 0 && i < FILES; i++)
		rc = file_add(to, info, files[i], errp);
	if (rc == 0)
		spec = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:O, s:O}", "windtunnel_version", PACKAGE_VERSION,
				 "slurm_version", WT_SLURM_VERSION, "name", info->name, "uuid", info->uuid, "host",
				 host->name, "dir", info->dir, "sent_us", (json_int_t) wt_clock_now_us(wt_clock_real()),
				 "cluster", cluster, "files", to);
	if (rc == 0 && !spec)
		wt_error_errno(errp, ENOMEM, "part of host %s", host->name);
	if (spec && key_add(spec, info, errp) == 0 && !(text = json_dumps(spec, JSON_COMPACT)))
		wt_error_errno(errp, ENOMEM, "part of host %s", host->name);
	json_decref(spec);
	json_decref(to);
	json_decref(cluster);
	free(path);
	return text;
}

const char *part_spec_text(const json_t *spec, const char *key)
{
	return json_string_value(json_object_get(spec, key));
}

int part_spec_check(const json_t *spec, int64_t now_us, struct wt_error *errp)
{
	static const char *const texts[] = { "windtunnel_version", "slurm_version", "name", "uuid", "host", "dir",
			   "munge_key" };
	const char *where = "what the cluster's supervisor sent";
	const char *version = part_spec_text(spec, "windtunnel_version"), *slurm = part_spec_text(spec, "slurm_version");
	int64_t sent_us, off_us;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!wt_json_string(spec, texts[i], where, errp))
			return -1;
	if (!json_is_object(json_object_get(spec, "cluster")) || !json_is_object(json_object_get(spec, "files")) ||
	    part_spec_text(spec, "dir")[0] != '/')
		return wt_error_set(errp, EINVAL, "%s: 'cluster', 'files' or 'dir' is none", where);
	if (strcmp(version, PACKAGE_VERSION) || strcmp(slurm, WT_SLURM_VERSION))
		return wt_error_set(errp, EPROTONOSUPPORT,
				   "here is windtunnel %s for Slurm %s, and the cluster's is %s for %s: all "
				    "hosts need the same", PACKAGE_VERSION, WT_SLURM_VERSION, version, slurm);
	if (wt_json_integer(spec, "sent_us", where, &sent_us, errp) < 0)
		return -1;
	off_us = now_us - sent_us;
	if (off_us > PART_CLOCK_US || off_us < -PART_CLOCK_US)
		return wt_error_set(errp, EINVAL,
				   "its clock is %" PRId64 " s %s the cluster's: munge would refuse credentials, and "
				    "times of jobs would be wrong; set it (NTP)", (off_us < 0 ? -off_us : off_us) / 1000000,
				    off_us < 0 ? "behind" : "before");
	return 0;
}

/* ---- on the host ---- */

/* The text with 'to' for each 'from' that begins a path. */
static char *dir_replace(const char *text, const char *from, const char *to)
{
	struct wt_str s = { 0 };
	size_t len = strlen(from);
	const char *at;

	while ((at = strstr(text, from))) {
		wt_str_add_bytes(&s, text, (size_t) (at - text));
		wt_str_add(&s, at[len] == '/' ? to : from);
		text = at + len;
	}
	wt_str_add(&s, text);
	return wt_str_take(&s);
}

/* NoInAddrAny for the nodes and what they start: theirs alone, because a client on the cluster's own machine would listen
 * on the address of the machine's name, whatever that is. */
static char *bound(const char *text)
{
	static const char key[] = "\nCommunicationParameters=";
	const char *line = strstr(text, key);
	struct wt_str s = { 0 };

	if (!line) {
		wt_str_printf(&s, "%s%sNoInAddrAny\n", text, key + 1);
	} else {
		wt_str_add_bytes(&s, text, (size_t) (line - text) + strlen(key));
		wt_str_printf(&s, "NoInAddrAny,%s", line + strlen(key));
	}
	return wt_str_take(&s);
}

static int text_write(const char *dir, const char *name, const char *text, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	int rc = path && text ? wt_fs_write(path, text, strlen(text), 0644, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

static int files_write(const json_t *spec, const char *dir, bool bind, struct wt_error *errp)
{
	for (size_t i = 0; i < FILES; i++) {
		const char *sent = json_string_value(json_object_get(json_object_get(spec, "files"), files[i]));
		char *text, *own;
		int rc;

		if (!sent)
			continue;
		text = dir_replace(sent, part_spec_text(spec, "dir"), dir);
		own = text && bind && !strcmp(files[i], "slurm.conf") ? bound(text) : NULL;
		rc = text_write(dir, files[i], own ? own : text, errp);
		free(own);
		free(text);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int key_write(const char *hex, const char *dir, struct wt_error *errp)
{
	char *folder = wt_str_format("%s/munge", dir), *path = wt_str_format("%s/munge/key", dir);
	size_t len = strlen(hex) / 2;
	unsigned char *key = malloc(len + 1);
	int rc = folder && path && key ? wt_fs_make_dir(folder, 0755, errp) : wt_error_errno(errp, ENOMEM, "munge/key");

	for (size_t i = 0; rc == 0 && i < len; i++) {
		unsigned int byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			rc = wt_error_set(errp, EINVAL, "munge's key is not in hexadecimal digits");
		key[i] = (unsigned char) byte;
	}
	if (rc == 0)
		rc = wt_fs_write(path, key, len, 0400, errp);
	if (key)
		explicit_bzero(key, len);
	free(key);
	free(path);
	free(folder);
	return rc;
}

int part_spec_write(const json_t *spec, const char *dir, bool bind, struct wt_error *errp)
{
	char *path = wt_str_format("%s/cluster.json", dir);
	int rc = path ? 0 : wt_error_errno(errp, ENOMEM, "cluster.json");

	if (rc == 0 && (key_write(part_spec_text(spec, "munge_key"), dir, errp) < 0 ||
			files_write(spec, dir, bind, errp) < 0 ||
			wt_json_save(path, json_object_get(spec, "cluster"), errp) < 0))
		rc = -1;
	free(path);
	return rc;
}
