/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel site import: a site's folder, of a capture or of single files. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/site/site_verb.h"
#include "harness/site/imported.h"
#include "lib/options.h"

enum {
	KEY_CONF = 256, KEY_TOPOLOGY, KEY_GRES, KEY_SACCT, KEY_EVENTS, KEY_SACCTMGR, KEY_USERS, KEY_GROUPS, KEY_ANONYMISE,
	KEY_SWF, KEY_MAP, KEY_SSHARE,
	KEY_SKIP_BAD,
};

struct import {
	struct wt_site_sources sources;
	const char *output;
	char **accounts;
};

static void account_take(struct argp_state *state, struct import *i, char *path)
{
	char **longer = realloc(i->accounts, (i->sources.account_count + 1) * sizeof(*longer));

	if (!longer)
		argp_failure(state, 1, ENOMEM, "--sacctmgr");
	i->accounts = longer;
	i->accounts[i->sources.account_count++] = path;
	i->sources.accounts = i->accounts;
}

static void all_check(struct argp_state *state, const struct import *i)
{
	if (!i->output)
		argp_error(state, "--output FOLDER is needed: what is to be made?");
	if (!i->sources.folder && !i->sources.conf)
		argp_error(state, "of what?  Give a folder that the script of 'windtunnel site capture' has made, or "
			   "--conf FILE");
	if (!!i->sources.sacct + !!i->sources.events + !!i->sources.swf > 1)
		argp_error(state, "--sacct, --events and --swf: jobs come from one of them");
	if (i->sources.map && !i->sources.swf)
		argp_error(state, "--map is for the numbers of --swf");
}

/* Where an option's file is kept; NULL: the option has none. */
static const char **file_of(struct import *i, int key)
{
	struct wt_site_sources *s = &i->sources;
	const struct { int key; const char **file; } files[] = {
		{ 'o', &i->output }, { KEY_CONF, &s->conf }, { KEY_TOPOLOGY, &s->topology }, { KEY_GRES, &s->gres },
		{ KEY_SACCT, &s->sacct }, { KEY_EVENTS, &s->events }, { KEY_USERS, &s->users },
		{ KEY_SWF, &s->swf }, { KEY_MAP, &s->map }, { KEY_SSHARE, &s->sshare },
		{ KEY_GROUPS, &s->groups }, { KEY_ANONYMISE, &s->key },
	};

	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++)
		if (files[k].key == key)
			return files[k].file;
	return NULL;
}

static error_t import_parse(int key, char *arg, struct argp_state *state)
{
	struct import *i = state->input;
	const char **file = file_of(i, key);

	if (file) {
		*file = arg;
		return 0;
	}
	switch (key) {
	case KEY_SACCTMGR:
		account_take(state, i, arg);
		return 0;
	case KEY_SKIP_BAD:
		i->sources.skip_bad = true;
		return 0;
	case ARGP_KEY_ARG:
		if (i->sources.folder)
			argp_error(state, "one capture at a time; '%s' is another one", arg);
		i->sources.folder = arg;
		return 0;
	case ARGP_KEY_END:
		all_check(state, i);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int import_do(const struct import *i, const char *name)
{
	struct wt_imported site = { 0 };
	struct wt_error error = { "" };
	int rc = wt_imported_read(&site, &i->sources, &error);

	if (rc == 0)
		rc = wt_imported_write(&site, i->output, &error);
	if (rc == 0) {
		wt_imported_tell(stdout, &site);
		printf("written: %s\n", i->output);
	} else {
		fprintf(stderr, "%s: %s\n", name, error.text);
	}
	wt_imported_clear(&site);
	return rc < 0 || fflush(stdout) != 0 || ferror(stdout);
}

int site_import(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "output", 'o', "FOLDER", 0, "Make this folder, which must not exist yet", 0 },
		{ "conf", KEY_CONF, "FILE", 0, "The site's slurm.conf, with its Includes beside it", 1 },
		{ "topology", KEY_TOPOLOGY, "FILE", 0, "Its topology.conf", 1 },
		{ "gres", KEY_GRES, "FILE", 0, "Its gres.conf", 1 },
		{ "sacctmgr", KEY_SACCTMGR, "FILE", 0,
		  "Accounts, users and QOS: a script of sacctmgr's commands, or what 'sacctmgr dump' or 'sacctmgr -P show "
		  "qos' has written; may be repeated", 1 },
		{ "sacct", KEY_SACCT, "FILE", 0, "Jobs: what sacct -p has printed", 1 },
		{ "events", KEY_EVENTS, "FILE", 0, "Jobs: events of UBCCR's simulator of Slurm", 1 },
		{ "swf", KEY_SWF, "FILE", 0, "Jobs: a trace in the Standard Workload Format", 1 },
		{ "map", KEY_MAP, "FILE", 0, "What its numbers are: lines 'user NUMBER NAME', 'group NUMBER ACCOUNT', "
		  "'queue NUMBER PARTITION'", 1 },
		{ "sshare", KEY_SSHARE, "FILE", 0, "What users have used, for fair share: what 'sshare -a -P' "
		  "has printed", 1 },
		{ "users", KEY_USERS, "FILE", 0, "Users and their groups: lines USER:UID:GROUP:GID, of which the numbers do "
		  "not count, or lines of passwd(5)", 1 },
		{ "groups", KEY_GROUPS, "FILE", 0, "Groups and their members: lines of group(5)", 1 },
		{ "anonymise", KEY_ANONYMISE, "KEYFILE", 0,
		  "Replace the names of users, groups, accounts, jobs and WCKeys, by a hash with this file's key; it is "
		  "made if it is not there", 2 },
		{ "skip-bad", KEY_SKIP_BAD, NULL, 0, "Leave out, and count, records of jobs that cannot be read", 2 },
		{ 0 },
	};
	static const struct argp argp = {
		options, import_parse, "[DIR]",
		"Make a site's folder (windtunnel-site(5)) of what the script of 'windtunnel site capture' has collected in "
		"DIR, or of single files, which take the place of those in DIR.  What was not taken over, and what could "
		"not be known, is printed and kept in the folder.", NULL, NULL, NULL
	};
	struct import i = { .output = NULL };
	int status;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &i))
		return 2;
	status = import_do(&i, argv[0]);
	free(i.accounts);
	return status;
}
