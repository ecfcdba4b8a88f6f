/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/cluster_release.h"

#include <stdbool.h>
#include <string.h>

#include "harness/cluster/cluster_private.h"

static bool word_among(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* Is the word that option, or the beginning of it with at least 'least' bytes, as getopt_long (3) takes it?  *value becomes
 * what is behind '=', NULL: the next word is its value. */
static bool option_is(const char *word, const char *option, size_t least, const char **value)
{
	size_t len = strcspn(word, "=");

	*value = word[len] ? word + len + 1 : NULL;
	return len >= least && len <= strlen(option) && !strncmp(word, option, len);
}

/* The name is the first word behind the verb; of the options before it only --host has a value. */
static const char *first_word(int argc, char **argv)
{
	const char *value;

	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
		if (argv[i][0] != '-')
			return argv[i];
		if (option_is(argv[i], "--host", strlen("--ho"), &value) && !value)
			i++;
	}
	return NULL;
}

static const char *option_named(int argc, char **argv)
{
	const char *name = NULL, *value;

	for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
		if (!option_is(argv[i], "--cluster", strlen("--clu"), &value))
			continue;
		if (value)
			name = value;
		else if (i + 1 < argc)
			name = argv[++i];
	}
	return name;
}

/* Only verbs that speak to a slurmctld need its release's library; the others read files of our own. */
const char *cluster_named(int argc, char **argv)
{
	static const char *const talking[] = { "env", "exec", "start", "status" }, *const runs[] = { "esp", "run" };

	if (argc > 2 && !strcmp(argv[1], "cluster"))
		return word_among(argv[2], talking, sizeof(talking) / sizeof(*talking)) ? first_word(argc - 3, argv + 3)
											 : NULL;
	return argc > 2 && word_among(argv[1], runs, sizeof(runs) / sizeof(*runs)) ? option_named(argc - 2, argv + 2) : NULL;
}

char *cluster_release(const char *name)
{
	struct wt_cluster_view view;
	struct wt_error error;
	char *version = NULL;

	if (wt_cluster_look(name, &view, &error) == 0) {
		version = view.info.slurm_version;
		view.info.slurm_version = NULL;
	}
	wt_cluster_view_clear(&view);
	return version;
}
