/* straggler_verb.h - the verbs of "windtunnel straggler".  Each gets its own argv (argv[0]: "windtunnel straggler VERB") and
 * returns the exit status: 0, 1 failure, 2 wrong use. */
#ifndef WT_CMD_STRAGGLER_STRAGGLER_VERB_H
#define WT_CMD_STRAGGLER_STRAGGLER_VERB_H

int straggler_simulate(int argc, char **argv);
int straggler_replay(int argc, char **argv);
int straggler_reproduce(int argc, char **argv);
int straggler_status(int argc, char **argv);
int straggler_nodes(int argc, char **argv);
int straggler_record(int argc, char **argv);

#endif
