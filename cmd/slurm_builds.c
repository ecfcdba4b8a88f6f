/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/slurm_builds.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/str.h"

#define DESCRIPTION_MAX (PATH_MAX + 256)

#define VERSION_BYTES "0123456789.abcdefghijklmnopqrstuvwxyz-"
#define BUILDS_FOLDER "/libexec/windtunnel/slurm"

/* PREFIX of this command, found from itself, so that an installed tree can be moved as a whole.  A build that stands in
 * PREFIX/libexec/windtunnel/slurm/VERSION belongs to that PREFIX: 'inside'. */
static bool prefix_find(char prefix[PATH_MAX], bool *inside)
{
	ssize_t len = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
	size_t tail = strlen(BUILDS_FOLDER);
	char *slash;

	*inside = false;
	if (len <= 0)
		return false;
	prefix[len] = '\0';
	for (int i = 0; i < 2; i++) {	/* bin/windtunnel */
		slash = strrchr(prefix, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	slash = strrchr(prefix, '/');
	if (slash && (size_t) (slash - prefix) > tail && !strncmp(slash - tail, BUILDS_FOLDER, tail)) {
		slash[-(ssize_t) tail] = '\0';
		*inside = true;
	}
	return true;
}

static bool line_take(const char *text, const char *key, char *value, size_t size)
{
	const char *at = strstr(text, key);
	size_t len;

	if (!at || (at != text && at[-1] != '\n'))
		return false;
	at += strlen(key);
	len = strcspn(at, "\n");
	if (len >= size)
		return false;
	memcpy(value, at, len);
	value[len] = '\0';
	return true;
}

/* What a configure would have taken: no words of ours have anything else in them, and what has is not of ours. */
static bool description_good(const struct slurm_build *build)
{
	if (!isdigit((unsigned char) *build->version) || build->version[strspn(build->version, VERSION_BYTES)] ||
	    (*build->prefix && *build->prefix != '/'))
		return false;
	for (const char *at = build->prefix; *at; at++)
		if (!isascii((unsigned char) *at) || !isprint((unsigned char) *at))
			return false;
	return true;
}

/* What "make install" of such a build has left: slurm.build, and a command that can be run. */
static bool build_read(const char *folder, const char *name, struct slurm_build *build)
{
	char path[PATH_MAX], *text = NULL;
	struct wt_error error;
	struct stat st;
	bool good;

	memset(build, 0, sizeof(*build));
	if (snprintf(path, sizeof(path), "%s/%s/libexec/windtunnel/slurm.build", folder, name) >= (int) sizeof(path) ||
	    stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||	/* a pipe would be waited for */
	    wt_fs_read(path, DESCRIPTION_MAX, &text, NULL, &error) < 0)
		return false;
	good = line_take(text, "version=", build->version, sizeof(build->version)) &&
	       line_take(text, "prefix=", build->prefix, sizeof(build->prefix)) && description_good(build) &&
	       snprintf(build->command, sizeof(build->command), "%s/%s/bin/windtunnel", folder, name) <
		       (int) sizeof(build->command) &&
	       access(build->command, X_OK) == 0;
	free(text);
	return good;
}

/* "24.11.0-0rc1" is no release but what comes before one: Slurm's tags have "pre" and "rc" in them. */
static bool version_is_early(const char *version)
{
	return strpbrk(version, "abcdefghijklmnopqrstuvwxyz") != NULL;
}

/* Below 0: 'a' is the older one.  strverscmp (3) alone takes 24.11.0-0rc1 for newer than 24.11.0, which it is part of. */
static int version_order(const char *a, const char *b)
{
	size_t a_len = strspn(a, "0123456789."), b_len = strspn(b, "0123456789.");

	if (a_len == b_len && !strncmp(a, b, a_len) && version_is_early(a) != version_is_early(b))
		return version_is_early(a) ? -1 : 1;
	return strverscmp(a, b);
}

static int builds_order(const void *a, const void *b)
{
	return version_order(((const struct slurm_build *) a)->version, ((const struct slurm_build *) b)->version);
}

/* Of two that a name fits: what is not released yet is taken only where nothing else is, for who asks for 24.11 means what
 * sites have. */
static bool build_better(const struct slurm_build *build, const struct slurm_build *than)
{
	if (version_is_early(build->version) != version_is_early(than->version))
		return version_is_early(than->version);
	return version_order(build->version, than->version) > 0;
}

static int builds_add(struct slurm_builds *builds, const struct slurm_build *build, struct wt_error *errp)
{
	struct slurm_build *more = reallocarray(builds->items, builds->count + 1, sizeof(*more));

	if (!more)
		return wt_error_errno(errp, ENOMEM, "builds for Slurm");
	builds->items = more;
	builds->items[builds->count++] = *build;
	return 0;
}

/* Those in a folder; the one of this process is there already.  A copy or a link of another name would be a second build of
 * its release. */
static int folder_add(struct slurm_builds *builds, const char *folder, struct wt_error *errp)
{
	const struct dirent *entry;
	struct slurm_build build;
	DIR *dir = opendir(folder);
	int rc = 0;

	while (dir && rc == 0 && (entry = readdir(dir)))
		if (*entry->d_name != '.' && build_read(folder, entry->d_name, &build) &&
		    !strcmp(build.version, entry->d_name) && strcmp(build.version, WT_SLURM_VERSION))
			rc = builds_add(builds, &build, errp);
	if (dir)
		closedir(dir);
	return rc;
}

int slurm_builds_find(struct slurm_builds *builds, struct wt_error *errp)
{
	struct slurm_build build = { .version = WT_SLURM_VERSION, .prefix = WT_SLURM_PREFIX };
	char prefix[PATH_MAX], folder[PATH_MAX];
	bool inside;
	int rc;

	*builds = (struct slurm_builds){ 0 };
	rc = builds_add(builds, &build, errp);
	if (rc == 0 && prefix_find(prefix, &inside)) {
		if (inside && build_read(prefix, ".", &build))
			rc = builds_add(builds, &build, errp);
		if (rc == 0 && snprintf(folder, sizeof(folder), "%s" BUILDS_FOLDER, prefix) < (int) sizeof(folder))
			rc = folder_add(builds, folder, errp);
	}
	if (builds->count > 1)
		qsort(builds->items + 1, builds->count - 1, sizeof(*builds->items), builds_order);
	return rc;
}

int slurm_build_check(const struct slurm_build *build, struct wt_error *errp)
{
	char path[PATH_MAX];

	if (!*build->prefix)
		return 0;
	if (snprintf(path, sizeof(path), "%s/sbin/slurmctld", build->prefix) >= (int) sizeof(path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", build->prefix);
	if (access(path, X_OK) == 0)
		return 0;
	return wt_error_errno(errp, errno, "Slurm %s is installed in %s, but cannot be used from there", build->version,
			      build->prefix);
}

void slurm_builds_free(struct slurm_builds *builds)
{
	free(builds->items);
	*builds = (struct slurm_builds){ 0 };
}

/* "24.11" is the beginning of "24.11.5", "24.1" is not. */
static bool version_begins(const char *version, const char *name)
{
	size_t len = strlen(name);

	return len && !strncmp(version, name, len) && (!version[len] || version[len] == '.');
}

static bool prefix_same(const char *prefix, const char *name)
{
	char real[PATH_MAX], wanted[PATH_MAX];

	return *prefix && realpath(prefix, real) && realpath(name, wanted) && !strcmp(real, wanted);
}

const struct slurm_build *slurm_build_choose(const struct slurm_builds *builds, const char *name, struct wt_error *errp)
{
	const struct slurm_build *found = NULL;
	char have[512] = "";

	for (size_t i = 0; i < builds->count; i++) {
		const struct slurm_build *build = &builds->items[i];
		size_t len = strlen(have);
		bool fits = strchr(name, '/') ? prefix_same(build->prefix, name) : version_begins(build->version, name);

		if (fits && (!found || build_better(build, found)))
			found = build;
		snprintf(have + len, sizeof(have) - len, "%s%s", i ? ", " : "", build->version);
	}
	if (!found)
		wt_error_set(
			errp, ENOENT,
			"--slurm %s: Windtunnel is not built for it here, only for Slurm %s; ./quickstart slurm VERSION "
			"makes a build",
			name, have);
	return found;
}

/* Words of "cluster exec NAME COMMAND ..." behind the name belong to a program that is not ours. */
static int own_words(int argc, char **argv)
{
	int words = 0, i = 1;

	if (argc < 3 || strcmp(argv[1], "cluster") || strcmp(argv[2], "exec"))
		return argc;
	while (i < argc && words < 3)
		words += argv[i++][0] != '-';
	return i;
}

const char *slurm_option_take(int *argc, char **argv)
{
	const char *value = NULL;
	int kept = 1, i = 1, end = own_words(*argc, argv);

	for (; i < end && strcmp(argv[i], "--"); i++) {
		if (!strncmp(argv[i], "--slurm=", 8)) {
			value = argv[i] + 8;
		} else if (!strcmp(argv[i], "--slurm")) {
			value = i + 1 < *argc ? argv[++i] : "";
		} else {
			argv[kept++] = argv[i];
		}
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return value;
}
