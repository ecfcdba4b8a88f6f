/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/vnode/slurm/codec.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/message.h"

/* The hash of the body that a credential carries: a byte for its kind, then the hash; see Slurm's
 * CommunicationParameters. */
static bool hash_matches(struct wt_msg *msg, const char *body, char *carried, uint32_t carried_len)
{
	uint16_t type = htons(msg->header.msg_type);
	bool old = compat_type_unswapped(msg->header.version);
	slurm_hash_t hash = { 0 };
	int len;

	if (!carried_len)
		return !xstrcasestr(slurm_conf.comm_params, "block_null_hash");
	/* Without a hash the credential carries the message's type, from some releases in the byte order of their host. */
	if (carried[0] == HASH_PLUGIN_NONE) {
		msg->slurm.hash_index = HASH_PLUGIN_NONE;
		return carried_len == 1 + sizeof(type) &&
		       (!memcmp(carried + 1, &type, sizeof(type)) ||
			(old && !memcmp(carried + 1, &msg->header.msg_type, sizeof(type)))) &&
		       !xstrcasestr(slurm_conf.comm_params, "block_zero_hash");
	}
	hash.type = (uint8_t) carried[0];
	len = hash_g_compute((char *) body, (int) msg->header.body_length, (char *) &type, sizeof(type), &hash);
	msg->slurm.hash_index = hash.type;
	return len > 0 && (uint32_t) len + 1 == carried_len && !memcmp(carried + 1, hash.hash, (size_t) len);
}

static int hash_check(struct wt_msg *msg, struct wt_error *errp)
{
	char *carried = NULL;
	uint32_t carried_len = 0;
	bool good;

	if (!slurm_get_plugin_hash_enable(msg->slurm.auth_index))
		return 0;
	auth_g_get_data(msg->cred, &carried, &carried_len);
	good = hash_matches(msg, get_buf_data(msg->buffer) + msg->header.body_offset, carried, carried_len);
	xfree(carried);
	return good ? 0 : wt_error_set(errp, EACCES, "%s: the hash of the message is wrong",
				       rpc_num2string(msg->header.msg_type));
}

static int sender_check(struct wt_msg *msg, bool answer, struct wt_error *errp)
{
	msg->slurm.protocol_version = msg->header.version;
	msg->slurm.msg_type = msg->header.msg_type;
	msg->slurm.flags = msg->header.flags;
	/* On a connection that we have opened to the controller: whose answer it is, is known by that. */
	if (msg->header.bare && answer)
		return 0;
	if (msg->header.bare)
		return wt_error_set(errp, EACCES, "%s: a request without a credential",
				    rpc_num2string(msg->header.msg_type));
	set_buf_offset(msg->buffer, msg->header.auth_offset);
	msg->cred = auth_g_unpack(msg->buffer, msg->header.version);
	if (!msg->cred || get_buf_offset(msg->buffer) != msg->header.body_offset)
		return wt_error_set(errp, EBADMSG, "%s: credential cannot be unpacked",
				    rpc_num2string(msg->header.msg_type));
	if (auth_g_verify(msg->cred, slurm_conf.authinfo) != SLURM_SUCCESS)
		return wt_error_set(errp, EACCES, "%s: munge refuses the credential",
				    rpc_num2string(msg->header.msg_type));
	msg->slurm.auth_index = compat_auth_index(msg->cred);
	compat_sender_set(&msg->slurm, msg->cred);
	return hash_check(msg, errp);
}

typedef int (*decode_f)(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest);

static int frame_open(struct wt_msg *msg, const void *frame, size_t len, bool answer, decode_f decode,
		      struct wt_error *errp)
{
	char *copy;

	memset(msg, 0, sizeof(*msg));
	if (decode(&msg->header, frame, len, SLURM_MIN_PROTOCOL_VERSION, SLURM_PROTOCOL_VERSION) < 0)
		return wt_error_errno(errp, errno, "frame of %zu bytes", len);
	slurm_msg_t_init(&msg->slurm);
	copy = xmalloc_nz(len);		/* Slurm's buffers own memory of Slurm's allocator */
	memcpy(copy, frame, len);
	msg->buffer = create_buf(copy, (uint32_t) len);
	return sender_check(msg, answer, errp);
}

static int close_after(struct wt_msg *msg, int rc)
{
	int saved_errno = errno;

	if (rc < 0)
		wt_codec_close(msg);
	errno = saved_errno;
	return rc;
}

int wt_codec_open(struct wt_msg *msg, const void *frame, size_t len, bool answer, struct wt_error *errp)
{
	return close_after(msg, frame_open(msg, frame, len, answer, wt_header_decode, errp));
}

/* Only now, when the sender is known: Slurm's reader was written for peers that are trusted. */
static int answers_take(struct wt_msg *msg, struct wt_error *errp)
{
	uid_t uid = msg->slurm.auth_uid;
	header_t header;

	if (!msg->header.bare && uid != 0 && uid != slurm_conf.slurm_user_id)
		return wt_error_set(errp, EACCES, "%s: an answer by user %u", rpc_num2string(msg->header.msg_type), uid);
	set_buf_offset(msg->buffer, 0);
	if (unpack_header(&header, msg->buffer) != SLURM_SUCCESS)
		return wt_error_set(errp, EBADMSG, "%s: the answers in it cannot be unpacked",
				    rpc_num2string(msg->header.msg_type));
	msg->answers = header.ret_list;
	destroy_forward(&header.forward);
	if (get_buf_offset(msg->buffer) != msg->header.auth_offset)
		return wt_error_set(errp, EBADMSG, "%s: answers of another length", rpc_num2string(msg->header.msg_type));
	return 0;
}

int wt_codec_open_answers(struct wt_msg *msg, const void *frame, size_t len, struct wt_error *errp)
{
	int rc = frame_open(msg, frame, len, true, wt_header_decode_answers, errp);

	return close_after(msg, rc < 0 ? rc : answers_take(msg, errp));
}

int wt_codec_body(struct wt_msg *msg, struct wt_error *errp)
{
	set_buf_offset(msg->buffer, msg->header.body_offset);
	if (unpack_msg(&msg->slurm, msg->buffer) != SLURM_SUCCESS) {
		msg->slurm.data = NULL;
		return wt_error_set(errp, EBADMSG, "%s: the message cannot be unpacked",
				    rpc_num2string(msg->header.msg_type));
	}
	return 0;
}

void wt_codec_data_free(uint16_t msg_type, void *data)
{
	if (!data)
		return;
	if (msg_type == RESPONSE_SLURMD_STATUS) {
		slurm_free_slurmd_status(data);
	} else if (msg_type == RESPONSE_JOB_STEP_CREATE) {
		slurm_free_job_step_create_response_msg(data);
	} else if (msg_type == RESPONSE_JOB_STEP_INFO) {
		slurm_free_job_step_info_response_msg(data);
	} else if (msg_type == RESPONSE_SLURM_RC_MSG) {
		xfree(((return_code2_msg_t *) data)->err_msg);
		xfree(data);
	} else {
		slurm_free_msg_data(msg_type, data);
	}
}

void wt_codec_close(struct wt_msg *msg)
{
	wt_codec_data_free(msg->slurm.msg_type, msg->slurm.data);
	FREE_NULL_LIST(msg->answers);
	if (msg->cred)
		auth_g_destroy(msg->cred);
	FREE_NULL_BUFFER(msg->buffer);
	memset(msg, 0, sizeof(*msg));
}

static buf_t *auth_pack(slurm_msg_t *msg, buf_t *body)
{
	uint16_t type = htons(msg->msg_type);
	slurm_hash_t hash = { 0 };
	int len = 0;
	void *cred;
	buf_t *auth = NULL;

	if (slurm_get_plugin_hash_enable(msg->auth_index)) {
		if (compat_type_unswapped(msg->protocol_version)) {
			type = msg->msg_type;
			hash.type = HASH_PLUGIN_NONE;
		} else if (msg->hash_index != HASH_PLUGIN_DEFAULT) {
			hash.type = msg->hash_index;
		}
		if (hash.type == HASH_PLUGIN_NONE) {
			memcpy(hash.hash, &type, sizeof(type));
			len = sizeof(type);
		} else {
			len = hash_g_compute(get_buf_data(body), (int) get_buf_offset(body), (char *) &type, sizeof(type),
					     &hash);
		}
		if (len < 0)
			return NULL;
		len++;		/* the kind of the hash, a byte before it */
	}
	cred = auth_g_create(msg->auth_index, slurm_conf.authinfo, msg->restrict_uid, &hash, len);
	if (!cred)
		return NULL;
	auth = init_buf(BUF_SIZE);
	if (auth_g_pack(cred, auth, msg->protocol_version) != SLURM_SUCCESS)
		FREE_NULL_BUFFER(auth);
	auth_g_destroy(cred);
	return auth;
}

static int bytes_join(struct wt_bytes *bytes, buf_t *const parts[3])
{
	uint8_t *at;
	uint32_t len = 0, prefix;

	for (int i = 0; i < 3; i++)
		len += get_buf_offset(parts[i]);
	bytes->len = len + sizeof(prefix);
	bytes->data = at = malloc(bytes->len);
	if (!at)
		return -1;
	prefix = htonl(len);
	memcpy(at, &prefix, sizeof(prefix));
	at += sizeof(prefix);
	for (int i = 0; i < 3; i++) {
		memcpy(at, get_buf_data(parts[i]), get_buf_offset(parts[i]));
		at += get_buf_offset(parts[i]);
	}
	return 0;
}

int wt_codec_pack(slurm_msg_t *msg, struct wt_bytes *bytes, struct wt_error *errp)
{
	buf_t *header_buffer = init_buf(BUF_SIZE), *body = init_buf(BUF_SIZE), *auth;
	header_t header;
	int rc = 0;

	pack_msg(msg, body);
	auth = msg->flags & COMPAT_BARE_ANSWER ? init_buf(0) : auth_pack(msg, body);
	if (!auth)
		rc = wt_error_set(errp, EACCES, "%s: no credential from munge", rpc_num2string(msg->msg_type));
	if (!rc) {
		buf_t *const parts[3] = { header_buffer, auth, body };

		init_header(&header, msg, msg->flags);
		update_header(&header, get_buf_offset(body));
		pack_header(&header, header_buffer);
		if (bytes_join(bytes, parts) < 0)
			rc = wt_error_errno(errp, ENOMEM, "%s", rpc_num2string(msg->msg_type));
	}
	FREE_NULL_BUFFER(header_buffer);
	FREE_NULL_BUFFER(auth);
	FREE_NULL_BUFFER(body);
	return rc;
}

void wt_codec_reply_init(slurm_msg_t *reply, const struct wt_msg *msg, uint16_t msg_type, void *data)
{
	uid_t uid = msg->slurm.auth_uid;

	slurm_msg_t_init(reply);
	reply->msg_type = msg_type;
	reply->data = data;
	reply->flags = msg->slurm.flags | (compat_answer_bare(msg->header.version) ? COMPAT_BARE_ANSWER : 0);
	reply->auth_index = msg->slurm.auth_index;
	reply->hash_index = msg->slurm.hash_index;
	reply->protocol_version = msg->slurm.protocol_version;
	/* Only the sender may read the answer's credential; SlurmUser and SlurmdUser are trusted. */
	if (uid == slurm_conf.slurm_user_id || uid == slurm_conf.slurmd_user_id)
		uid = SLURM_AUTH_UID_ANY;
	slurm_msg_set_r_uid(reply, uid);
}

void wt_codec_request_init(slurm_msg_t *request, uint16_t msg_type, void *data)
{
	slurm_msg_t_init(request);
	request->msg_type = msg_type;
	request->data = data;
	request->protocol_version = SLURM_PROTOCOL_VERSION;
	slurm_msg_set_r_uid(request, slurm_conf.slurm_user_id);
}
