/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "windtunnel cluster resources": tells slurmdbd of the resources of AccountingStorageTRES before slurmctld does.  slurmctld
 * ends without a partition's QOS, sacctmgr makes no QOS with a limit of GPUs before slurmdbd knows GPUs, and it has no
 * command that adds them. */
#include "config.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/conf/demands.h"
#include "harness/cluster/supervisor/supervisor.h"

#define RESOURCES_MAX 256

/* Those of a list such as "gres/gpu,gres/gpu:a100,license/x", which is split in place; slurmdbd has cpu and its like by
 * itself. */
static size_t list_split(char *list, slurmdb_tres_rec_t records[RESOURCES_MAX])
{
	size_t count = 0;
	char *word;

	while (count < RESOURCES_MAX && (word = strsep(&list, ","))) {
		char *slash = strchr(word, '/');

		word += strspn(word, " \t");
		if (!slash || slash == word || !slash[1])
			continue;
		*slash = '\0';
		records[count++] = (slurmdb_tres_rec_t) { .type = word, .name = slash + 1 };
	}
	return count;
}

static int records_add(slurmdb_tres_rec_t *records, size_t count)
{
	uint16_t flags = 0;
	void *connection = slurmdb_connection_get(&flags), *list = slurm_list_create(NULL);
	int rc = connection && list ? SLURM_SUCCESS : ENOTCONN;

	for (size_t i = 0; list && i < count; i++)
		slurm_list_append(list, &records[i]);
	if (rc == SLURM_SUCCESS)
		rc = slurmdb_tres_add(connection, list);
	if (rc == SLURM_SUCCESS)
		rc = slurmdb_connection_commit(connection, true);
	if (connection)
		slurmdb_connection_close(&connection);
	if (list)
		slurm_list_destroy(list);
	return rc;
}

static const char *resources_find(const struct wt_demands *conf)
{
	const char *value = "";

	for (size_t i = 0; i < conf->count; i++)
		if (!strcasecmp(conf->list[i].key, "AccountingStorageTRES"))
			value = conf->list[i].value;
	return value;
}

static int resources_tell(const char *conf_path, struct wt_error *errp)
{
	slurmdb_tres_rec_t records[RESOURCES_MAX];
	struct wt_demands conf = { 0 };
	char *list = NULL;
	size_t count = 0;
	int rc = wt_demands_file(&conf, conf_path, errp);

	if (rc == 0 && !(list = strdup(resources_find(&conf))))
		rc = wt_error_errno(errp, ENOMEM, "resources");
	if (rc == 0)
		count = list_split(list, records);
	if (count) {
		slurm_init(conf_path);
		rc = records_add(records, count);
		if (rc != SLURM_SUCCESS)
			rc = wt_error_set(errp, EIO, "slurmdbd takes no AccountingStorageTRES: %s", slurm_strerror(rc));
	}
	wt_demands_clear(&conf);
	free(list);
	return rc;
}

int wt_resources_main(int argc, char **argv)
{
	struct wt_error err = { "" };

	if (argc != 2)
		wt_error_set(&err, EINVAL, "it is for 'windtunnel cluster up' only");
	else if (resources_tell(argv[1], &err) == 0)
		return 0;
	fprintf(stderr, "windtunnel cluster resources: %s\n", err.text);
	return 1;
}
