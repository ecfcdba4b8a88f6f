/* fence_rules.h - what a fenced process may do.
 *
 * A slurmctld that reads the state of another cluster finds addresses in it (of salloc and srun on that cluster's login
 * nodes, of nodes that registered from anywhere) and programs (of triggers).  It may not speak to the ones, nor run the
 * others. */
#ifndef WT_HARNESS_FENCE_FENCE_RULES_H
#define WT_HARNESS_FENCE_FENCE_RULES_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define FENCE_PORTS_ENV "WINDTUNNEL_FENCE" /* the ports of its own cluster: "6817 6818" */

/* May it connect there?  To loopback addresses, at one of 'ports' (NULL: none); what is no internet address is the machine's
 * own.  Pure. */
bool fence_lets_connect(const struct sockaddr *addr, socklen_t len, const char *ports);

/* May it run that file?  Itself, under whatever name, and what stands for a program that does nothing.  Pure. */
bool fence_lets_run(const struct stat *file, const struct stat *self, const struct stat *nothing);

#endif
