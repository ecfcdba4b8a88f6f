/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/protocol/seal.h"

munge_ctx_t seal_context(const char *socket)
{
	munge_ctx_t ctx = munge_ctx_create();

	if (ctx && socket && *socket && munge_ctx_set(ctx, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
		munge_ctx_destroy(ctx);
		ctx = NULL;
	}
	if (!ctx)
		errno = ENOMEM;
	return ctx;
}

char *seal_for(munge_ctx_t ctx, uid_t uid, const void *bytes, size_t len, struct wt_error *errp)
{
	char *credential = NULL;
	/* For each credential anew: the context keeps what was set for the one before. */
	munge_err_t rc = munge_ctx_set(ctx, MUNGE_OPT_UID_RESTRICTION, uid);

	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&credential, ctx, bytes, (int) len);
	if (rc == EMUNGE_SUCCESS)
		return credential;
	free(credential);
	wt_error_set(errp, EIO, "munge: %s", munge_ctx_strerror(ctx) ? munge_ctx_strerror(ctx) : munge_strerror(rc));
	return NULL;
}

char *seal(munge_ctx_t ctx, const void *bytes, size_t len, struct wt_error *errp)
{
	return seal_for(ctx, MUNGE_UID_ANY, bytes, len, errp);
}

munge_err_t unseal_for(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid,
		       uid_t *for_uid)
{
	char *text = strndup(credential, len);
	/* munge_decode () leaves the settings of what it decodes in its context.  What is sealed next must not have them:
	 * a sender of a credential without encryption would have the answer, and a session's key in it, without
	 * encryption, too. */
	munge_ctx_t own = munge_ctx_copy(ctx);
	munge_err_t rc = EMUNGE_NO_MEMORY;
	int got = 0;
	gid_t gid;

	*bytes = NULL;
	if (text && own)
		rc = munge_decode(text, own, bytes, &got, uid, &gid);
	if (rc == EMUNGE_SUCCESS)
		rc = munge_ctx_get(own, MUNGE_OPT_UID_RESTRICTION, for_uid);
	if (own)
		munge_ctx_destroy(own);
	free(text);
	*bytes_len = got > 0 ? (size_t) got : 0;
	return rc;
}

munge_err_t unseal(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid)
{
	uid_t for_uid;

	return unseal_for(ctx, credential, len, bytes, bytes_len, uid, &for_uid);
}
