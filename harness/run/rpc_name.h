/* rpc_name.h - Slurm's names of the messages that slurmctld serves.
 *
 * libslurm does not tell them, and sdiag's answer has numbers only.  The numbers are those of Slurm 22.05's protocol;
 * test_rpc_name compares them with libslurmfull's.  Pure; any thread. */
#ifndef WT_HARNESS_RUN_RPC_NAME_H
#define WT_HARNESS_RUN_RPC_NAME_H

#include <stdint.h>

/* As "REQUEST_JOB_INFO"; NULL: none that slurmctld serves. */
const char *wt_rpc_name(uint16_t type);

#endif
