/* codec.h - between frames and Slurm's messages: credentials, hashes, packing.
 *
 * Adapter: includes Slurm's headers (slurm.h first).  Call from one thread: credentials are made and checked by munged
 * synchronously.  Source: Slurm 22.05 src/common/slurm_protocol_api.c, slurm_receive_msg_and_forward (), slurm_send_node_msg
 * (). */
#ifndef WT_HARNESS_VNODE_SLURM_CODEC_H
#define WT_HARNESS_VNODE_SLURM_CODEC_H

#include "compat/full.h"

#include "lib/error.h"
#include "harness/vnode/wire/header.h"

struct wt_bytes {	/* a frame, ready to be written: length and all */
	uint8_t *data;
	size_t len;
};

/* A message received.  'body' unpacks what its type says; until then only the header and the sender are known. */
struct wt_msg {
	struct wt_header header;	/* forward_nodes points into the frame given to wt_codec_open () */
	slurm_msg_t slurm;
	void *cred;
	buf_t *buffer;
	compat_list answers;	/* of other nodes, of ret_data_info_t; NULL: none.  wt_codec_open_answers () alone */
};

/* Check a frame and its sender.  The frame must outlive *msg.  Of an 'answer', on a connection that this process has opened,
 * Slurm from 23.11 on sends no credential: then its sender is the user nobody (auth_uid SLURM_AUTH_NOBODY).  0, or -1 with
 * errno and *errp: EBADMSG, EPROTONOSUPPORT, ENOTSUP as wt_header_decode (); EACCES (credential or hash not valid, or
 * none).  On success close it with wt_codec_close (). */
int wt_codec_open(struct wt_msg *msg, const void *frame, size_t len, bool answer, struct wt_error *errp);

/* An answer that has answers of other nodes in its header, from another process of nodes: its sender is root or SlurmUser,
 * where answers have credentials.  As wt_codec_open () with 'answer'. */
int wt_codec_open_answers(struct wt_msg *msg, const void *frame, size_t len, struct wt_error *errp);

/* Unpack the body into msg->slurm.data.  0, or -1 with EBADMSG. */
int wt_codec_body(struct wt_msg *msg, struct wt_error *errp);
void wt_codec_close(struct wt_msg *msg);

/* Free the data of a message, also of the types that slurm_free_msg_data () does not know.  NULL is ignored. */
void wt_codec_data_free(uint16_t msg_type, void *data);

/* Pack a message with a new credential.  msg->ret_list, if any, goes into the header.  Free bytes->data with free ().
 * 0, or -1 with EACCES (munged does not answer) or ENOMEM. */
int wt_codec_pack(slurm_msg_t *msg, struct wt_bytes *bytes, struct wt_error *errp);

/* Prepare *reply as an answer to 'msg': same version, credential kind and hash; its data are the caller's. */
void wt_codec_reply_init(slurm_msg_t *reply, const struct wt_msg *msg, uint16_t msg_type, void *data);

/* Prepare a request to the controller. */
void wt_codec_request_init(slurm_msg_t *request, uint16_t msg_type, void *data);

#endif
