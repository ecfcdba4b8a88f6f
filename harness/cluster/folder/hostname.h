/* hostname.h - the host name under which slurmctld runs.
 *
 * Slurm 22.05 can be told to listen on one address only (NoCtldInAddrAny), and that is the one of gethostname(2).  Where the
 * machine's name has no loopback address, slurmctld gets a UTS namespace of its own (uts_namespaces(7)), in which the
 * machine is called "localhost"; an ordinary user needs a user namespace around it, too, which some systems do not allow. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_HOSTNAME_H
#define WT_HARNESS_CLUSTER_FOLDER_HOSTNAME_H

#include <netinet/in.h>
#include <stdbool.h>

#define WT_HOSTNAME_OWN "localhost"

/* From now on wt_hostname_take () gives this name instead, which the caller keeps: where the cluster's nodes run on other
 * hosts, the address of this one, which resolves to itself. */
void wt_hostname_wish(const char *name);

/* Has 'host' IPv4 addresses, all of them loopback ones?  Then the first one is put into 'addr'. */
bool wt_hostname_is_loopback(const char *host, char addr[INET_ADDRSTRLEN]);

/* Give the calling process the name WT_HOSTNAME_OWN, or the one wished for.  Only in a new process with one thread.  0, or
 * -1 with errno. */
int wt_hostname_take(void);

/* Would that work?  Tried in a child. */
bool wt_hostname_can_take(void);

#endif
