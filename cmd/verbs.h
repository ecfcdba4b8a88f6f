/* verbs.h - the verbs of the windtunnel command.
 *
 * Each gets its own argv: argv[0] is "windtunnel VERB", and returns the process's exit status: 0 success, 1 failure,
 * 2 wrong use, 130 after Ctrl-C.  Errors are printed by the verb as "windtunnel VERB: text". */
#ifndef WT_CMD_VERBS_H
#define WT_CMD_VERBS_H

int wt_verb_advise(int argc, char **argv);	/* cmd/experiment */
int wt_verb_cluster(int argc, char **argv);	/* cmd/cluster */
int wt_verb_compare(int argc, char **argv);	/* cmd/run */
int wt_verb_esp(int argc, char **argv);		/* cmd/run */
int wt_verb_experiment(int argc, char **argv);	/* cmd/experiment */
int wt_verb_montecarlo(int argc, char **argv);	/* cmd/montecarlo */
int wt_verb_node(int argc, char **argv);	/* cmd/node */
int wt_verb_profile(int argc, char **argv);	/* cmd/profile */
int wt_verb_report(int argc, char **argv);	/* cmd/report */
int wt_verb_run(int argc, char **argv);		/* cmd/run */
int wt_verb_site(int argc, char **argv);	/* cmd/site */
int wt_verb_slurm(int argc, char **argv);	/* cmd */
int wt_verb_topology(int argc, char **argv);	/* cmd/topology */
int wt_verb_straggler(int argc, char **argv);	/* cmd/straggler */
int wt_verb_try(int argc, char **argv);		/* cmd/experiment */
int wt_verb_twin(int argc, char **argv);	/* cmd/experiment */
int wt_verb_upgrade(int argc, char **argv);	/* cmd/upgrade */
int wt_verb_workload(int argc, char **argv);	/* cmd/workload */

#endif
