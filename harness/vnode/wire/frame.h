/* frame.h - cut a byte stream into Slurm's frames: 4 bytes of big-endian length, then that many bytes.
 *
 * Pure: no Slurm, no sockets.  Lengths are never trusted: memory grows with the bytes that have really arrived.
 * One thread at a time.  Source of the format: Slurm 22.05 src/common/slurm_protocol_socket.c. */
#ifndef WT_HARNESS_VNODE_WIRE_FRAME_H
#define WT_HARNESS_VNODE_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slurm itself allows 1 GiB; a launch message holds at most a script (max_script_size, 4 MiB by default), its environment
 * and a node list, so 16 MiB refuses nothing real. */
#define WT_FRAME_DEFAULT_LIMIT (16u << 20)
#define WT_FRAME_MIN 2u		/* a frame holds at least the protocol version */

struct wt_frame {
	uint32_t limit;		/* longest body accepted, bytes */
	uint32_t length;	/* announced by the peer; valid once prefix_have is 4 */
	uint32_t have;		/* bytes of the body that are here */
	uint32_t capacity;	/* bytes allocated */
	uint8_t prefix[4];
	uint8_t prefix_have;
	uint8_t *body;
};

/* 'limit' 0 means WT_FRAME_DEFAULT_LIMIT. */
void wt_frame_init(struct wt_frame *frame, uint32_t limit);
void wt_frame_clear(struct wt_frame *frame);	/* frees the body; ready for the next frame; NULL is ignored */

/* Take bytes up to the end of the current frame.  Returns the number of bytes consumed (less than 'len' only when the frame
 * is complete), or -1: EMSGSIZE (announced length beyond the limit), EBADMSG (too short), ENOMEM; the stream is then
 * lost. */
long wt_frame_feed(struct wt_frame *frame, const void *data, size_t len);

bool wt_frame_complete(const struct wt_frame *frame);
bool wt_frame_empty(const struct wt_frame *frame);	/* no byte has arrived since init or clear */

#endif
