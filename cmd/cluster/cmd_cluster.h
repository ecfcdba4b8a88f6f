/* cmd_cluster.h - the verbs below "windtunnel cluster".
 *
 * Each gets its own argv (argv[0] is "windtunnel cluster VERB") and returns the exit status (verbs.h). */
#ifndef WT_CMD_CLUSTER_CMD_CLUSTER_H
#define WT_CMD_CLUSTER_CMD_CLUSTER_H

int cmd_cluster_up(int argc, char **argv);
int cmd_cluster_down(int argc, char **argv);
int cmd_cluster_list(int argc, char **argv);
int cmd_cluster_status(int argc, char **argv);
int cmd_cluster_describe(int argc, char **argv);
int cmd_cluster_logs(int argc, char **argv);
int cmd_cluster_stop(int argc, char **argv);
int cmd_cluster_start(int argc, char **argv);
int cmd_cluster_exec(int argc, char **argv);
int cmd_cluster_env(int argc, char **argv);

/* "NAME" as the one argument, and an optional flag: what most of them take.  Returns the name. */
struct cmd_cluster_args {
	const char *name;
	int json, all, keep, drive;
};

/* Parse the options named in 'flags' ('j' --json, 'a' --all, 'k' --keep, 'd' --drive) and the argument NAME, if 'named'.
 * Ends the program with status 2 on wrong use and 0 on --help. */
void cmd_cluster_parse(int argc, char **argv, const char *flags, int named, const char *doc, struct cmd_cluster_args *args);

#endif
