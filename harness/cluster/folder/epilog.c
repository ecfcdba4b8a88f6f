/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/cluster/folder/epilog.h"
#include "lib/str.h"

/* Node names are n0 to n(N-1), so a node list is n7 or n[0-3,7]. */
static const char release_script[] =
	"#!/bin/sh\n"
	"list=${SLURM_NODELIST#n} nodes=0\n"
	"list=${list#[}\n"
	"IFS=,\n"
	"for range in ${list%%]}; do\n"
	"	case $range in\n"
	"	*-*) nodes=$((nodes + ${range#*-} - ${range%%-*} + 1)) ;;\n"
	"	*) nodes=$((nodes + 1)) ;;\n"
	"	esac\n"
	"done\n"
	"[ $nodes -gt %d ] || echo \""
	WT_EVENT_ROW_SH("$(date +%%s.%%6N)", WT_EVENT_NAME_RELEASE, "$SLURM_JOB_ID", "", "", "$SLURMD_NODENAME", "")
	"\" >>%s\n"
	"exit 0\n";

char *wt_epilog_text(const struct wt_clusterinfo *info)
{
	char *path, *quoted, *text = NULL;

	if (!wt_clusterinfo_real_nodes(info))
		return strdup("#!/bin/sh\nexit 0\n");
	path = wt_clusterinfo_path(info, WT_NODE_EVENTS);
	quoted = path ? wt_str_shell_quote(path) : NULL;
	if (quoted)
		text = wt_str_format(release_script, WT_EPILOG_NODES_MAX, quoted);
	free(quoted);
	free(path);
	return text;
}

/* slurmd calls it with system (3): its parent is slurmd, or a shell between them.  Which node's slurmd is it? */
static const char reboot_script[] =
	"#!/bin/sh\n"
	"parent=$(cut -d ' ' -f 4 /proc/$PPID/stat)\n"
	"for file in %s/n*.pid; do\n"
	"	read -r pid <\"$file\"\n"
	"	case $pid in\n"
	"	$PPID|$parent)\n"
	"		: >\"${file%%.pid}" WT_NODE_REBOOT_SUFFIX "\"\n"
	"		kill -KILL \"$pid\"\n"
	"		exit ;;\n"
	"	esac\n"
	"done\n"
	"exit 1\n";

char *wt_reboot_text(const struct wt_clusterinfo *info)
{
	char *path, *quoted, *text = NULL;

	if (!wt_clusterinfo_real_nodes(info))
		return strdup("#!/bin/sh\nexit 0\n");
	path = wt_clusterinfo_path(info, "nodes");
	quoted = path ? wt_str_shell_quote(path) : NULL;
	if (quoted)
		text = wt_str_format(reboot_script, quoted);
	free(quoted);
	free(path);
	return text;
}
