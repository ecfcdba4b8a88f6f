/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "straggler/protocol/straggler_conf.h"

#define FILE_MAX 65536	/* bytes */

struct key {
	const char *name;
	enum { KEY_TEXT, KEY_NUMBER, KEY_COUNT, KEY_FLAG } kind;
	size_t offset, size;
	double min, max;
};

#define TEXT(name, field) \
	{ name, KEY_TEXT, offsetof(struct straggler_conf, field), sizeof(((struct straggler_conf *) 0)->field), 0, 0 }
#define NUMBER(name, field, min, max) { name, KEY_NUMBER, offsetof(struct straggler_conf, field), 0, min, max }
#define COUNT(name, field, min, max) { name, KEY_COUNT, offsetof(struct straggler_conf, field), 0, min, max }

/* The limits are those of wt_spec_configure (), or what no site can mean: a mistake is told with its line, not found out
 * later. */
static const struct key keys[] = {
	TEXT("Controller", controller), TEXT("MungeSocket", munge_socket), TEXT("Directory", directory),
	COUNT("Port", port, 1, 65535), { "Enabled", KEY_FLAG, offsetof(struct straggler_conf, enabled), 0, 0, 0 },
	{ "RuleScore", KEY_FLAG, offsetof(struct straggler_conf, spec.score_allowed), 0, 0, 0 },
	NUMBER("Window", spec.window_s, .1, 3600), NUMBER("Silence", spec.silence_s, .3, 86400), NUMBER("Cost", spec.cost, 0,
	100),
	NUMBER("MinAge", spec.age_min_s, 0, 1e6), COUNT("MinTasks", spec.tasks_min, 1, 1e6),
	COUNT("MaxCopies", spec.copies_max, 0, 1e6),
	COUNT("MaxAttempts", spec.attempts_max, 1, 1e7), COUNT("MaxCopiesPerTask", spec.policy.copies, 0, 8),
	NUMBER("MaxShare", spec.policy.share, 0, 1), NUMBER("Z", spec.policy.z, 0, 10),
};

static int value_set(struct straggler_conf *conf, const struct key *key, const char *value, struct wt_error *errp)
{
	char *field = (char *) conf + key->offset, *end;
	double number;

	if (key->kind == KEY_TEXT) {
		if (strlen(value) >= key->size)
			return wt_error_set(errp, EINVAL, "%s is longer than %zu bytes", key->name, key->size - 1);
		strcpy(field, value);
		return 0;
	}
	if (key->kind == KEY_FLAG) {
		if (strcasecmp(value, "yes") && strcasecmp(value, "no"))
			return wt_error_set(errp, EINVAL, "%s=%s is neither yes nor no", key->name, value);
		*(bool *) field = !strcasecmp(value, "yes");
		return 0;
	}
	number = strtod(value, &end);
	/* Negated, so that "nan" is refused. */
	if (end == value || *end || !(number >= key->min && number <= key->max) || (key->kind == KEY_COUNT &&
										    number != floor(number)))
		return wt_error_set(errp, EINVAL, "%s=%s is not a %s from %g to %g", key->name, value,
				    key->kind == KEY_COUNT ? "whole number" : "number", key->min, key->max);
	if (key->kind == KEY_COUNT)
		*(unsigned int *) field = (unsigned int) number;
	else
		*(double *) field = number;
	return 0;
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char) *text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char) end[-1]))
		end--;
	*end = '\0';
	return text;
}

static int line_parse(struct straggler_conf *conf, char *line, struct wt_error *errp)
{
	char *value, *name;

	/* Comments first: no value may have a '#'. */
	line[strcspn(line, "#")] = '\0';
	name = trim(line);
	if (!*name)
		return 0;
	value = strchr(name, '=');
	if (!value)
		return wt_error_set(errp, EINVAL, "'%s' is not KEY=VALUE", name);
	*value++ = '\0';
	name = trim(name);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcasecmp(keys[i].name, name))
			return value_set(conf, &keys[i], trim(value), errp);
	}
	return wt_error_set(errp, EINVAL, "'%s' is not known (windtunnel-speculate(5))", name);
}

static int whole_check(const struct straggler_conf *conf, struct wt_error *errp)
{
	if (!conf->controller[0] || !conf->port)
		return wt_error_set(errp, EINVAL, "Controller= and Port= must be given");
	if (conf->directory[0] != '/')
		return wt_error_set(errp, EINVAL, "Directory=%s does not begin with /", conf->directory);
	if (conf->spec.silence_s < 3 * conf->spec.window_s)
		return wt_error_set(errp, EINVAL,
				    "Silence=%g is below 3 windows of %g s: lost heartbeats would look like hangs",
				    conf->spec.silence_s, conf->spec.window_s);
	return 0;
}

int straggler_conf_parse(struct straggler_conf *conf, const char *text, size_t len, const char *name, struct wt_error *errp)
{
	unsigned int number = 0;

	*conf = (struct straggler_conf) { .enabled = true, .directory = "/run/windtunnel/%n", .spec = wt_spec_defaults() };
	for (const char *at = text, *stop = text + len; at < stop; ) {
		const char *end = memchr(at, '\n', (size_t) (stop - at));
		size_t n = (size_t) ((end ? end : stop) - at);
		char line[512];

		number++;
		if (n >= sizeof(line) || memchr(at, '\0', n))
			return wt_error_set(errp, EINVAL, "%s:%u: not a line of text below %zu bytes", name, number,
					    sizeof(line));
		memcpy(line, at, n);
		line[n] = '\0';
		if (line_parse(conf, line, errp) < 0)
			return wt_error_prefix(errp, "%s:%u", name, number);
		at += n + 1;
	}
	return whole_check(conf, errp) < 0 ? wt_error_prefix(errp, "%s", name) : 0;
}

int straggler_conf_read(struct straggler_conf *conf, const char *path, struct wt_error *errp)
{
	char text[FILE_MAX];
	/* Not of a pipe, which nobody may ever write: slurmctld, too, reads this file. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return wt_error_set(errp, EINVAL, "%s: is not a regular file", path);
	}
	len = read(fd, text, sizeof(text));
	if (len < 0 || (size_t) len == sizeof(text)) {
		int errnum = len < 0 ? errno : EFBIG;

		close(fd);
		return wt_error_errno(errp, errnum, "%s", path);
	}
	close(fd);
	if (straggler_conf_parse(conf, text, (size_t) len, path, errp) < 0)
		return -1;
	conf->owner = st.st_uid;
	return 0;
}

void straggler_conf_path(const char *slurm_conf, char path[PATH_MAX])
{
	const char *own = getenv(STRAGGLER_CONF_ENV);
	const char *slash = slurm_conf ? strrchr(slurm_conf, '/') : NULL;

	if (own && *own)
		snprintf(path, PATH_MAX, "%s", own);
	else if (slash)
		snprintf(path, PATH_MAX, "%.*s/" STRAGGLER_CONF_NAME, (int) (slash - slurm_conf), slurm_conf);
	else
		snprintf(path, PATH_MAX, "/etc/slurm/" STRAGGLER_CONF_NAME);
}

int straggler_conf_directory(const struct straggler_conf *conf, const char *node, char *path, size_t size,
			     struct wt_error *errp)
{
	const char *mark = strstr(conf->directory, "%n");
	int len = mark ? snprintf(path, size, "%.*s%s%s", (int) (mark - conf->directory), conf->directory, node, mark + 2)
		       : snprintf(path, size, "%s", conf->directory);

	if (len < 0 || (size_t) len >= size)
		return wt_error_errno(errp, ENAMETOOLONG, "Directory=%s", conf->directory);
	return 0;
}
