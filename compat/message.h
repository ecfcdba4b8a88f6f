/* message.h - fields of Slurm's messages and their credentials of senders that differ among releases. */
#ifndef WT_COMPAT_MESSAGE_H
#define WT_COMPAT_MESSAGE_H

#include <errno.h>
#include <stdio.h>

#include "compat/full.h"

#ifdef WT_HAVE_BARE_ANSWERS
#define COMPAT_BARE_ANSWER SLURM_NO_AUTH_CRED
#else
#define COMPAT_BARE_ANSWER 0	/* no flag: each message has a credential */
#endif

static inline int compat_auth_init(void)
{
#ifdef WT_HAVE_G_INIT
	return auth_g_init();
#else
	return slurm_auth_init(NULL);
#endif
}

static inline int compat_select_init(void)
{
#ifdef WT_HAVE_PLAIN_SELECT_INIT
	return select_g_init();
#else
	return select_g_init(false);
#endif
}

/* From 23.02 to 24.05 a step's launch cannot be unpacked before this, also where there is no plugin of a switch. */
static inline int compat_switch_init(void)
{
#ifdef WT_HAVE_SWITCH_INIT
	return switch_g_init(false);
#else
	return switch_init(false);
#endif
}

static inline int compat_auth_index(void *cred)
{
#ifdef WT_HAVE_G_INIT
	return auth_index(cred);
#else
	return slurm_auth_index(cred);
#endif
}

/* The sender of a message, from its verified credential. */
static inline void compat_sender_set(slurm_msg_t *msg, void *cred)
{
#ifdef WT_HAVE_LIST_POINTERS
	auth_g_get_ids(cred, &msg->auth_uid, &msg->auth_gid);
	msg->auth_ids_set = true;
#else
	msg->auth_uid = auth_g_get_uid(cred);
	msg->auth_uid_set = true;
#endif
}

static inline const char *compat_reason_text(uint32_t reason)
{
#ifdef WT_HAVE_JOB_STATE_REASON
	return job_state_reason_string(reason);
#else
	return job_reason_string((enum job_state_reason) reason);
#endif
}

/* A request for a step of a job that its id alone names. */
static inline void compat_step_request_init(job_step_create_request_msg_t *data)
{
#ifdef WT_HAVE_STEP_ARRAY_TASK
	data->array_task_id = NO_VAL;
#else
	(void) data;
#endif
}

static inline uint32_t compat_created_step(const job_step_create_response_msg_t *data)
{
#ifdef WT_HAVE_STEP_ID_MESSAGES
	return data->step_id.step_id;
#else
	return data->job_step_id;
#endif
}

/* Whether srun asks for a step again that slurmctld refused with this. */
static inline bool compat_step_busy(int rc)
{
#ifndef WT_HAVE_STEP_ID_MESSAGES
	if (rc == ESLURM_INTERCONNECT_BUSY)
		return true;
#endif
	return rc == EAGAIN || rc == ESLURM_DISABLED || rc == ESLURM_NODES_BUSY || rc == ESLURM_PORTS_BUSY;
}

/* srun's of releases before 21.08 take output on connections of another kind. */
static inline bool compat_srun_too_old(uint16_t protocol_version)
{
#ifdef WT_HAVE_LIST_POINTERS
	(void) protocol_version;
	return false;
#else
	return protocol_version < SLURM_21_08_PROTOCOL_VERSION;
#endif
}

/* Whether an answer goes without a credential, as this release's slurmd sends it. */
static inline bool compat_answer_bare(uint16_t protocol_version)
{
#if defined(WT_HAVE_ONLY_BARE_ANSWERS)
	(void) protocol_version;
	return true;
#elif defined(WT_HAVE_BARE_ANSWERS)
	return protocol_version >= SLURM_23_11_PROTOCOL_VERSION;
#else
	(void) protocol_version;
	return false;
#endif
}

/* Releases up to 21.08 did not swap the bytes of the message type that they hash. */
static inline bool compat_type_unswapped(uint16_t protocol_version)
{
#ifdef WT_HAVE_LIST_POINTERS
	(void) protocol_version;
	return false;
#else
	return protocol_version <= SLURM_21_08_PROTOCOL_VERSION;
#endif
}

/* How slurmstepd's words begin that a user sees in the place of a program's errors. */
static inline void compat_stepd_name(char *text, size_t size, const char *node)
{
#ifdef WT_HAVE_TIMED_WORDS
	char now[64];

	(void) node;
	now[log_timestamp(now, sizeof(now) - 1)] = '\0';
	snprintf(text, size, "[%s]", now);
#else
	snprintf(text, size, "slurmstepd-%s:", node);
#endif
}

#endif
