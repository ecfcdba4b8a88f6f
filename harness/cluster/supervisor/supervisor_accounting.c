/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way up of a cluster with accounting, before slurmctld: the database is made and runs, slurmdbd runs, the cluster and
 * its accounts are there. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/client.h"
#include "harness/cluster/conf/usage_state.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/munge.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "lib/clock.h"
#include "lib/fs.h"

#define ASSOCIATIONS_BYTES_MAX ((size_t) 256 << 20)

enum accounting_step { MAKES_DATABASE, AWAITS_DATABASE, AWAITS_SLURMDBD, MAKES_ACCOUNTS, LISTS_ASSOCIATIONS, HAS_ACCOUNTS };

struct accounting_command {	/* that runs once */
	const char *name;
	struct sup *sup;
	char **argv;		/* owned */
	char *log;		/* owned */
	struct keeper keeper;
};

struct sup_accounting {
	enum accounting_step step;
	struct accounting_command database, accounts, associations;
};

static char *file_read(const struct sup *sup, const char *name, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&sup->info, name), *text = NULL;
	size_t len;

	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", name);
	else
		wt_fs_read_regular(path, ASSOCIATIONS_BYTES_MAX, &text, &len, errp);
	free(path);
	return text;
}

/* What users had used before, where slurmctld looks for it when it starts. */
static int usage_write(struct sup *sup, struct wt_error *errp)
{
	char *usage = file_read(sup, WT_ACCOUNTING_USAGE, errp);
	char *associations = usage ? file_read(sup, WT_ACCOUNTING_ASSOCIATIONS, errp) : NULL;
	char *path = wt_clusterinfo_path(&sup->info, "ctld/assoc_usage");
	struct wt_usage_state state = { 0 };
	int rc = path ? -1 : wt_error_errno(errp, ENOMEM, "usage");

	if (path && associations)
		rc = wt_usage_state_make(&state, usage, associations, compat_protocol_version(),
					 wt_clock_now_us(wt_clock_real()) / 1000000, errp);
	if (rc == 0)
		rc = wt_fs_write(path, state.bytes.text, state.bytes.len, 0600, errp);
	if (rc == 0 && state.given > state.taken)
		sup_log(sup, "usage: of %zu users in accounts %zu have no association here, the first is %s", state.given,
			state.given - state.taken, state.missing);
	wt_usage_state_clear(&state);
	free(path);
	free(associations);
	free(usage);
	return rc;
}

static bool has_usage(const struct sup *sup)
{
	char *path = wt_clusterinfo_path(&sup->info, WT_ACCOUNTING_USAGE);
	bool has = path && access(path, F_OK) == 0;

	free(path);
	return has;
}

static int command_start(struct accounting_command *c)
{
	struct wt_error err;

	if (keeper_start(&c->keeper, c->argv, c->log, NULL, &err) == 0)
		return 0;
	sup_fail(c->sup, errno, "%s", err.text);
	return -1;
}

static void accounts_made(struct sup *sup)
{
	struct sup_accounting *a = sup->accounting;

	if (!has_usage(sup))
		a->step = HAS_ACCOUNTS;
	else if (command_start(&a->associations) == 0)
		a->step = LISTS_ASSOCIATIONS;
}

static void associations_listed(struct sup *sup)
{
	struct wt_error err;

	if (usage_write(sup, &err) == 0)
		sup->accounting->step = HAS_ACCOUNTS;
	else
		sup_fail(sup, errno, "%s", err.text);
}

/* sacctmgr ends with 1 also when a line only says what is so already; what of its words is a complaint stands in the log. */
static void command_ended(struct keeper *k, pid_t pid, const char *how)
{
	const struct accounting_command *c = k->owner;
	struct sup *sup = c->sup;

	(void) pid;
	sup_log(sup, "%s: ended: %s", c->name, how);
	if (sup->stopping)
		sup->frame->ended(sup);
	else if (c == &sup->accounting->accounts)
		accounts_made(sup);
	else if (strcmp(how, "exit 0"))
		sup_fail_ended(sup, c->name, how, c->log, NULL);
	else if (c == &sup->accounting->associations)
		associations_listed(sup);
	else if (sup_daemon_start(sup, SUP_MARIADBD) == 0)
		sup->accounting->step = AWAITS_DATABASE;
}

static int command_init(struct sup *sup, struct accounting_command *c, const char *name, char **argv, const char *log)
{
	*c = (struct accounting_command) { .name = name, .sup = sup, .argv = argv };
	c->log = wt_clusterinfo_path(&sup->info, log);
	keeper_init(&c->keeper, sup->loop, command_ended, c);
	return c->argv && c->log ? 0 : -1;
}

int sup_accounting_init(struct sup *sup, struct wt_error *errp)
{
	if (!sup->info.accounting)
		return 0;
	sup->accounting = calloc(1, sizeof(*sup->accounting));
	if (!sup->accounting || wt_accounting_environment(&sup->info) < 0 ||
	    command_init(sup, &sup->accounting->database, "mariadb-install-db", wt_mariadb_make_argv(&sup->info),
			 "accounting/install.log") < 0 ||
	    command_init(sup, &sup->accounting->accounts, "sacctmgr", wt_sacctmgr_argv(&sup->info),
			 "accounting/sacctmgr.log") < 0 ||
	    command_init(sup, &sup->accounting->associations, "sacctmgr", wt_associations_argv(&sup->info),
			 "accounting/associations.log") < 0)
		return wt_error_errno(errp, ENOMEM, "accounting");
	sup->once[0] = &sup->accounting->database.keeper;
	sup->once[1] = &sup->accounting->accounts.keeper;
	sup->once[2] = &sup->accounting->associations.keeper;
	return 0;
}

static void command_clear(struct accounting_command *c)
{
	wt_munge_argv_free(c->argv);
	free(c->log);
}

void sup_accounting_clear(struct sup *sup)
{
	if (!sup->accounting)
		return;
	command_clear(&sup->accounting->database);
	command_clear(&sup->accounting->accounts);
	command_clear(&sup->accounting->associations);
	memset(sup->once, 0, sizeof(sup->once));
	free(sup->accounting);
	sup->accounting = NULL;
}

void sup_accounting_begin(struct sup *sup)
{
	if (sup->accounting)
		command_start(&sup->accounting->database);
}

bool sup_accounting_ready(struct sup *sup)
{
	struct sup_accounting *a = sup->accounting;

	if (!a)
		return true;
	switch (a->step) {
	case AWAITS_DATABASE:
		if (wt_mariadb_listens(&sup->info) && sup_daemon_start(sup, SUP_SLURMDBD) == 0)
			a->step = AWAITS_SLURMDBD;
		return false;
	case AWAITS_SLURMDBD:
		if (wt_slurmdbd_listens(&sup->info) && command_start(&a->accounts) == 0)
			a->step = MAKES_ACCOUNTS;
		return false;
	case HAS_ACCOUNTS:
		return true;
	default:
		return false;
	}
}
