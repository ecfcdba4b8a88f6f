/* header.h - look at an untrusted Slurm message before libslurmfull does.
 *
 * Slurm's unpack functions were written for peers that are trusted: they unpack complete answers inside of the header before
 * the sender is known, and do not check that strings end.  This decoder accepts only what a request to a slurmd, or an
 * answer to one, looks like; what passes may be given to unpack_header () and auth_g_unpack (). Pure: no Slurm.  Layout:
 * Slurm 22.05 to 26.05 pack_header (), slurm_pack_addr (), auth_g_pack (). */
#ifndef WT_HARNESS_VNODE_WIRE_HEADER_H
#define WT_HARNESS_VNODE_WIRE_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_HEADER_VERSION_22_05 (38 << 8)	/* SLURM_22_05_PROTOCOL_VERSION: one field less from here on */
#define WT_HEADER_VERSION_23_11 (40 << 8)	/* nodes' addresses for a forwarder, answers without a credential */
#define WT_HEADER_VERSION_24_11 (42 << 8)	/* the depth of the tree */
#define WT_HEADER_BARE 0x40		/* in flags: SLURM_NO_AUTH_CRED, from 23.11 on */
#define WT_HEADER_ADDRESSES 0x80	/* in flags: SLURM_PACK_ADDRS, from 23.11 on */
#define WT_HEADER_AUTH_MUNGE 101	/* AUTH_PLUGIN_MUNGE */

struct wt_header {
	uint16_t version, flags, msg_type;
	uint32_t body_length;
	uint16_t forward_count;		/* nodes that the receiver answers for besides itself */
	uint32_t forward_timeout_ms;
	uint16_t forward_tree_width, forward_tree_depth;
	bool has_origin;		/* the message was forwarded; origin: the IPv4 address that it came from at first */
	uint32_t origin;		/* network byte order */
	uint32_t answers_offset;	/* where the number of answers stands, behind what is to be forwarded */
	const char *forward_nodes;	/* in the caller's bytes, terminated there; NULL when forward_count is 0 */
	bool bare;			/* no credential: believe only what answers us, on a connection that we opened */
	uint32_t auth_offset;		/* where the credential begins; with 'bare' where the message does */
	uint32_t body_offset;		/* where the message begins: exactly body_length bytes before the end */
};

/* Decode 'len' bytes of a frame.  Protocol versions from 'oldest' to 'newest' are accepted: until a node has registered, the
 * controller talks to it in the oldest version that it knows.
 * 0, or -1 with errno EPROTONOSUPPORT (other version), EBADMSG (truncated, or lengths that contradict each other) or
 * ENOTSUP (answers inside of the header, credentials of another kind than munge). */
int wt_header_decode(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest);

/* The frame (with its length before it, as it is sent) by which the message whose header was decoded from 'data' goes on to
 * another node, which is to forward it to 'count' others, 'nodes'; credential and contents are the same bytes.  'origin'
 * is the address that it came from at first.  From malloc (), *size long; NULL with ENOMEM. */
uint8_t *wt_header_forward(const struct wt_header *header, const void *data, size_t len, const char *nodes, uint16_t count,
			   uint32_t origin, size_t *size);

/* The same of an answer whose header may have answers of other nodes in it, which cannot be read before it is known who sent
 * them: the credential is found from its end, and what stands between answers_offset and auth_offset is not looked at.
 * ENOTSUP does not occur, and with 'bare' auth_offset is body_offset. */
int wt_header_decode_answers(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest);

#endif
