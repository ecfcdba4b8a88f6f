/* test_port.h - for tests of the port: a munged of its own, a service with an array that runs, and its server. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_TEST_PORT_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_TEST_PORT_H

#include <sys/types.h>

#include "straggler/protocol/seal.h"
#include "plugins/straggler/slurmctld/server.h"

#define TASKS 40u	/* of the array, which run all of them: jobs ARRAY to ARRAY + TASKS - 1, of our own user */
#define ARRAY 100u

extern struct service service;
extern struct server *server;
extern struct straggler_conf conf;
extern munge_ctx_t munge;
extern pid_t munged;
extern unsigned int errors;	/* that were logged */
extern char port_dir[], state_dir[64];

int munged_start(void **state);	/* of cmocka: before and after all tests */
int munged_stop(void **state);
int port_begin(void **state);	/* and each */
int port_end(void **state);
#define PORT(test) cmocka_unit_test_setup_teardown(test, port_begin, port_end)

unsigned int port_free(void);
int64_t until_us(void);		/* a minute from now */
void nap(void);			/* 20 ms */

/* A credential of a COMMIT for the task; the caller frees it. */
char *commit_sealed(uint32_t task, enum port_commit operation, uint64_t acquisition);
/* A frame is under way on the socket that is returned; with 'len' 0 nothing is. */
int frame_sent(const void *frame, size_t len);
/* What a COMMIT for the task is answered; closes the socket. */
enum port_code told(int fd, uint32_t task);

#endif
