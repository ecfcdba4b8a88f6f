/* client.h - what differs in the public library of Slurm, libslurm. */
#ifndef WT_COMPAT_CLIENT_H
#define WT_COMPAT_CLIENT_H

#include <limits.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/job_id.h"
#include "compat/lists.h"

/* CPUs on the job's node number 'node' (from 0, in the order of its node list); 0: there is no such node, or it is not
 * told. */
int compat_job_cpus(const slurm_job_info_t *job, uint32_t node);

/* Errors of some releases only: none has the number that the others get here. */
#ifdef WT_HAVE_RECORD_COPY_ERROR
#define COMPAT_RECORD_COPY_ERROR ESLURM_ERROR_ON_DESC_TO_RECORD_COPY
#else
#define COMPAT_RECORD_COPY_ERROR INT_MIN
#endif

static inline void compat_conf_free(slurm_conf_t *conf)
{
#ifdef WT_HAVE_FREE_CONF
	slurm_free_conf(conf);
#else
	slurm_free_ctl_conf(conf);
#endif
}

/* Who gives 'msg->reason'. */
static inline void compat_reason_uid(update_node_msg_t *msg, uid_t uid)
{
#ifdef WT_HAVE_REASON_UID
	msg->reason_uid = uid;
#else
	(void) msg;
	(void) uid;
#endif
}

/* "n[1-3,7]": the names of the list.  To be freed; NULL: no memory. */
char *compat_hosts_text(compat_hostlist list);

/* "Resources", "Priority": slurm_job_info_t.state_reason in words.  Static. */
const char *compat_job_reason(uint32_t reason);

/* A list of generic resources as --gres takes it ("gpu:a100:2,fpga:1"), or with 'gpus' as --gpus does ("2", "a100:2"), in
 * the words of a job's description, behind those of 'before' (NULL: none).  To be freed; NULL: no memory. */
char *compat_tres_gres(const char *before, const char *list, bool gpus);

/* A reservation of so many nodes.  'room' must last as long as 'msg'. */
void compat_reservation_count(resv_desc_msg_t *msg, uint32_t nodes, uint32_t room[2]);

/* The switches of the cluster, as they would stand in its topology.conf; "" if there are none.  To be freed; NULL: slurmctld
 * did not tell, errno has the reason. */
char *compat_topology_text(void);

/* SLURM_PROTOCOL_VERSION: by which slurmctld knows its state files, too. */
uint16_t compat_protocol_version(void);

/* What a user has to know of a cluster of this release without slurmdbd; NULL: nothing.  Static. */
const char *compat_no_database_caveat(void);

/* Before slurmctld is started in a cluster on loopback addresses: it asks for the name of each address that connects, which
 * no server of names knows, and would wait seconds for each.  Changes the caller's environment.  0, or -1 with errno. */
int compat_names_local(void);

#endif
