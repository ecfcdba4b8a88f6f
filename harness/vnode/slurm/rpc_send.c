/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rpc_send ADDRESS PORT TYPE [JOB-ID [SIGNAL]] - for the tests: ask a node something as the caller and print the answer:
 * "rc N", "ping", "status NODE", "stat NODE", "pids NODE", "answer N" (its message type) or "none". */
#include "compat/credential.h"
#include "compat/fake_launch.h"
#include "compat/message.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

static kill_job_msg_t kill_job = { .nodes = "n0" }, kill_again;	/* which names no nodes: re_kill_job () of slurmctld */
static signal_tasks_msg_t signal_tasks;
static suspend_int_msg_t suspend_int = { .op = SUSPEND_JOB };
static job_notify_msg_t job_notify = { .message = "hello" };
static slurm_step_id_t step_id;
static shutdown_msg_t shutdown_all;
static launch_tasks_request_msg_t launch;

static const struct {
	const char *name;
	uint16_t type;
	void *data;
} types[] = {
	{ "ping", REQUEST_PING, NULL },
	{ "register", REQUEST_NODE_REGISTRATION_STATUS, NULL },
	{ "health", REQUEST_HEALTH_CHECK, NULL },
	{ "energy", REQUEST_ACCT_GATHER_UPDATE, NULL },
	{ "reconfigure", REQUEST_RECONFIGURE, NULL },
	{ "shutdown", REQUEST_SHUTDOWN, &shutdown_all },
	{ "status", REQUEST_DAEMON_STATUS, NULL },
	{ "terminate", REQUEST_TERMINATE_JOB, &kill_job },
	{ "terminate-again", REQUEST_TERMINATE_JOB, &kill_again },
	{ "timelimit", REQUEST_KILL_TIMELIMIT, &kill_job },
	{ "preempted", REQUEST_KILL_PREEMPTED, &kill_job },
	{ "abort", REQUEST_ABORT_JOB, &kill_job },
	{ "suspend", REQUEST_SUSPEND_INT, &suspend_int },
	{ "signal", REQUEST_SIGNAL_TASKS, &signal_tasks },
	{ "end-step", REQUEST_TERMINATE_TASKS, &signal_tasks },
	{ "notify", REQUEST_JOB_NOTIFY, &job_notify },
	{ "stat", REQUEST_JOB_STEP_STAT, &step_id },
	{ "pids", REQUEST_JOB_STEP_PIDS, &step_id },
	{ "launch", REQUEST_LAUNCH_TASKS, &launch },
	{ "launch-other", REQUEST_LAUNCH_TASKS, &launch },
	{ "launch-no-alloc", REQUEST_LAUNCH_TASKS, &launch },
	{ "unknown", REQUEST_TAKEOVER, NULL },
};

static void job_set(uint32_t job_id, uint16_t signal)
{
	step_id = (slurm_step_id_t) { .job_id = job_id, .step_id = NO_VAL, .step_het_comp = NO_VAL };
	kill_job.step_id = kill_again.step_id = step_id;
	kill_job.time = kill_again.time = (time_t) (wt_clock_now_us(wt_clock_real()) / 1000000);
	compat_job_id(&suspend_int) = job_id;
	step_id.step_id = SLURM_BATCH_SCRIPT;
	signal_tasks.step_id = job_notify.step_id = step_id;
	signal_tasks.signal = signal;
}

static void launch_set(const char *kind)
{
	compat_launch_fake(&launch, step_id.job_id, getuid(), !strcmp(kind, "launch-other") ? getuid() + 1 : getuid());
	launch.flags = !strcmp(kind, "launch-no-alloc") ? LAUNCH_NO_ALLOC : 0;
}

static int ask(slurm_msg_t *msg)
{
	slurm_msg_t answer;

	slurm_msg_t_init(&answer);
	if (slurm_send_recv_node_msg(msg, &answer, 5000) < 0 || answer.msg_type == NO_VAL16)
		printf("none\n");
	else if (answer.msg_type == RESPONSE_SLURM_RC)
		printf("rc %d\n", ((return_code_msg_t *) answer.data)->return_code);
	else if (answer.msg_type == RESPONSE_PING_SLURMD)
		printf("ping\n");
	else if (answer.msg_type == RESPONSE_SLURMD_STATUS)
		printf("status %s\n", ((slurmd_status_t *) answer.data)->hostname);
	else if (answer.msg_type == RESPONSE_JOB_STEP_STAT)
		printf("stat %s\n", ((job_step_stat_t *) answer.data)->step_pids->node_name);
	else if (answer.msg_type == RESPONSE_JOB_STEP_PIDS)
		printf("pids %s\n", ((job_step_pids_t *) answer.data)->node_name);
	else
		printf("answer %u\n", answer.msg_type);
	return 0;
}

int main(int argc, char **argv)
{
	log_options_t log = LOG_OPTS_STDERR_ONLY;
	slurm_msg_t msg;

	if (argc < 4)
		return 2;
	log_init("rpc_send", log, LOG_USER, NULL);
	slurm_init(NULL);	/* with plugins of connections, where a release has them */
	compat_auth_init();
	hash_g_init();
	compat_select_init();
	compat_switch_init();
	gres_init();
	compat_cred_init();
	job_set(argc > 4 ? (uint32_t) atol(argv[4]) : 1, argc > 5 ? (uint16_t) atol(argv[5]) : SIGTERM);
	if (!strncmp(argv[3], "launch", 6))
		launch_set(argv[3]);
	slurm_msg_t_init(&msg);
	slurm_set_addr(&msg.address, (uint16_t) atol(argv[2]), argv[1]);
	slurm_msg_set_r_uid(&msg, SLURM_AUTH_UID_ANY);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].name, argv[3]))
			continue;
		msg.msg_type = types[i].type;
		msg.data = types[i].data;
		return ask(&msg);
	}
	return 2;
}
