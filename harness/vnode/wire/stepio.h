/* stepio.h - the connections for input and output from the nodes of a step to its srun.
 *
 * A virtual task prints nothing: each connection introduces its node, reads and forgets what srun sends to the tasks,
 * answers srun's tests of the connection, and in the end says that each task's output has ended.  One thread: the loop's.
 * Source of the format: Slurm 22.05 src/common/io_hdr.c, src/slurmd/slurmstepd/io.c. */
#ifndef WT_HARNESS_VNODE_WIRE_STEPIO_H
#define WT_HARNESS_VNODE_WIRE_STEPIO_H

#include <ev.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_STEPIO_STDOUT 1	/* SLURM_IO_STDOUT ... */
#define WT_STEPIO_STDERR 2
#define WT_STEPIO_TEST 4
#define WT_STEPIO_HEADER_SIZE 10u
#define WT_STEPIO_HELLO_SIZE(key_len) (22u + (key_len))

struct wt_stepio_hello {	/* which node calls */
	uint16_t version;	/* SLURM_PROTOCOL_VERSION */
	uint32_t rank;
	uint32_t stdout_count, stderr_count;	/* ends of output that will be sent */
	const void *key;	/* signature of the step's credential */
	uint32_t key_len;
};

/* Write WT_STEPIO_HELLO_SIZE (key_len) bytes. */
void wt_stepio_hello_pack(uint8_t *bytes, const struct wt_stepio_hello *hello);
/* Write WT_STEPIO_HEADER_SIZE bytes; length 0 is the end of the stream. */
void wt_stepio_header_pack(uint8_t *bytes, uint16_t type, uint16_t task, uint16_t local_task, uint32_t length);

struct wt_stepio;		/* opaque */
struct wt_stepio_conn;		/* opaque; from open until its ended () call */

struct wt_stepio_calls {
	void (*connected)(void *arg, uint64_t step, uint32_t rank, bool good);	/* !good: ended () follows */
	/* after close: all was sent, or srun is not there to read it */
	void (*closed)(void *arg, uint64_t step, uint32_t rank);
	void (*ended)(void *arg, uint64_t step, uint32_t rank);		/* the connection is no more */
	void *arg;
};

struct wt_stepio_conf {
	uint32_t max_connections;
	double connect_timeout_s;
	double close_timeout_s;		/* how long srun may take to read the end: slurmstepd waits 300 s */
};

/* NULL, ENOMEM.  'calls' is copied; none of them is called from within open or close. */
struct wt_stepio *wt_stepio_create(struct ev_loop *loop, const struct wt_stepio_conf *conf,
				   const struct wt_stepio_calls *calls);
void wt_stepio_destroy(struct wt_stepio *io);	/* NULL is ignored; errno is preserved */

/* 'hello' is copied.  NULL: no connection can be had (errno), and none of the calls will come. */
struct wt_stepio_conn *wt_stepio_open(struct wt_stepio *io, uint64_t step, uint32_t rank, in_addr_t source,
				      const struct sockaddr_in *target, const uint8_t *hello, size_t len);
/* Send these last bytes.  0, or -1 with ENOMEM. */
int wt_stepio_close(struct wt_stepio_conn *conn, const uint8_t *bytes, size_t len);
uint32_t wt_stepio_count(const struct wt_stepio *io);

#endif
