/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/run/run_folder.h"
#include "lib/str.h"

#define NEW_MAX 10000	/* folders of one name, before something else must be wrong */

/* How many entries, or -1. */
static int entry_count(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int count = 0;

	if (!d)
		return -1;
	while ((entry = readdir(d)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(d);
	return count;
}

bool wt_run_folder_is_empty(const char *dir)
{
	return entry_count(dir) <= 0;
}

static int folder_take(const char *dir, struct wt_run_folder *folder, struct wt_error *errp)
{
	if (access(dir, W_OK | X_OK) < 0)
		return wt_error_errno(errp, errno, "--output %s", dir);
	folder->path = realpath(dir, NULL);
	return folder->path ? 0 : wt_error_errno(errp, errno, "--output %s", dir);
}

int wt_run_folder_make(const char *dir, bool allow_used, struct wt_run_folder *folder, struct wt_error *errp)
{
	int count;

	folder->made = mkdir(dir, 0777) == 0;
	if (folder->made)
		return folder_take(dir, folder, errp);
	if (errno != EEXIST)
		return wt_error_errno(errp, errno, "--output %s", dir);
	count = entry_count(dir);
	if (count < 0)
		return wt_error_errno(errp, errno, "--output %s", dir);
	if (count && !allow_used)
		return wt_error_set(errp, ENOTEMPTY, "--output %s: the folder is not empty; name a new one", dir);
	return folder_take(dir, folder, errp);
}

/* mkdir decides, not a look before it: two runs may begin in the same second. */
int wt_run_folder_make_new(const char *name, struct wt_run_folder *folder, struct wt_error *errp)
{
	char *dir = strdup(name);
	int rc = -1;

	for (unsigned int i = 2; dir && !(folder->made = mkdir(dir, 0777) == 0) && errno == EEXIST && i < NEW_MAX; i++) {
		free(dir);
		dir = wt_str_format("%s-%u", name, i);
	}
	if (!dir)
		wt_error_errno(errp, ENOMEM, "%s", name);
	else if (!folder->made)
		wt_error_errno(errp, errno, "run folder %s (--output names another)", dir);
	else
		rc = folder_take(dir, folder, errp);
	free(dir);
	return rc;
}

/* "key : value" lines, as in /proc/cpuinfo and /proc/meminfo. */
static void proc_value(const char *path, const char *key, char *value, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[512];

	value[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) || !colon)
			continue;
		snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		value[strcspn(value, "\n")] = '\0';
		break;
	}
	if (f)
		fclose(f);
}

static json_t *machine_json(void)
{
	char model[256], memory[64], host[256] = "";
	struct utsname system = { 0 };
	double load[3] = { 0 };

	proc_value("/proc/cpuinfo", "model name", model, sizeof(model));
	proc_value("/proc/meminfo", "MemTotal", memory, sizeof(memory));
	gethostname(host, sizeof(host) - 1);
	uname(&system);
	getloadavg(load, 3);
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:[f,f,f]}", "host", host, "kernel", system.release, "cpu_model", model,
			 "cpus", (json_int_t) sysconf(_SC_NPROCESSORS_ONLN),
			 "memory_mib", (json_int_t) (strtoull(memory, NULL, 10) / 1024),
			 "load_average", load[0], load[1], load[2]);
}

static json_t *lanes_json(const struct wt_workload *w)
{
	json_t *lanes = json_array();

	for (size_t i = 0; i < w->lane_count; i++)
		json_array_append_new(lanes, json_pack("{s:s, s:I, s:I}", "name", w->lanes[i].name, "stage",
						       (json_int_t) w->lanes[i].stage, "jobs",
						       (json_int_t) w->lanes[i].count));
	return lanes;
}

static json_t *workload_json(const struct wt_workload *w)
{
	char seed[32];

	/* As text: JSON's numbers are signed for jansson, and doubles for most readers. */
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long) w->seed);
	return json_pack("{s:s, s:s, s:f, s:f, s:I, s:o}", "name", w->name, "seed", seed, "time_scale", w->time_scale,
			 "ideal_s", w->ideal_s, "jobs", (json_int_t) w->job_count, "lanes", lanes_json(w));
}

/* What is known before a cluster is there. */
static json_t *request_json(const struct wt_scenario *scenario, const char *tag, const char *clock)
{
	/* a real cluster's is asked for later */
	const char *slurm = wt_scenario_is_real(scenario) ? NULL : WT_SLURM_VERSION;

	return json_pack("{s:{s:s, s:s*}, s:s, s:s, s:o, s:o}", "versions", "windtunnel", PACKAGE_VERSION, "slurm", slurm,
			 "clock", clock, "tag", tag,
			 "options", wt_scenario_json(scenario), "machine", machine_json());
}

json_t *wt_run_folder_scenario(const struct wt_scenario *scenario, const struct wt_workload *w,
			       const struct wt_controller_info *info, const struct wt_partition *part, const char *tag,
			       const char *clock)
{
	json_t *json = request_json(scenario, tag, clock), *found;

	if (!json || !w)
		return json;
	found = json_pack("{s:o, s:o, s:{s:s, s:s, s:I, s:I, s:I}}", "workload", workload_json(w), "trace",
			  wt_choice_trace_json(scenario, part->cpus),
			  "cluster", "name", info->cluster, "partition", part->name, "nodes", (json_int_t) part->nodes,
			  "cpus", (json_int_t) part->cpus, "cpus_per_node", (json_int_t) part->cpus_per_node);
	if (!found || json_object_update_new(json, found) < 0 ||
	    json_object_set_new(json_object_get(json, "versions"), "slurm", json_string(info->version)) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

off_t wt_file_size(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 ? st.st_size : 0;
}

static int bytes_copy(int in, int out)
{
	char buf[65536];
	ssize_t n, done, put;

	while ((n = read(in, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		for (done = 0; done < n; done += put > 0 ? put : 0) {
			put = write(out, buf + done, n - done);
			if (put < 0 && errno != EINTR)
				return -1;
		}
	}
	return 0;
}

int wt_run_folder_copy(const char *dir, const char *name, const char *from, off_t offset, struct wt_error *errp)
{
	char path[4096];
	int in = open(from, O_RDONLY | O_CLOEXEC), out, rc = 0;

	if (in < 0)
		return errno == ENOENT ? 0 : wt_error_errno(errp, errno, "%s", from);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out < 0) {
		wt_error_errno(errp, errno, "%s", path);
		close(in);
		return -1;
	}
	if (lseek(in, offset, SEEK_SET) < 0 || bytes_copy(in, out) < 0)
		rc = wt_error_errno(errp, errno, "copying %s to %s", from, path);
	close(in);
	/* A network file system may tell of a full disk only now. */
	if (close(out) < 0 && !rc)
		rc = wt_error_errno(errp, errno, "%s", path);
	return rc;
}
