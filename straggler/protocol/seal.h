/* seal.h - munge credentials with a message as payload. */
#ifndef WT_STRAGGLER_PROTOCOL_SEAL_H
#define WT_STRAGGLER_PROTOCOL_SEAL_H

#include <munge.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

/* A context for the munged at 'socket' ("": the default one); NULL with ENOMEM.  Free with munge_ctx_destroy (). */
munge_ctx_t seal_context(const char *socket);

/* Credential of 'len' bytes; the caller frees it.  NULL with EIO and munge's own words. */
char *seal(munge_ctx_t ctx, const void *bytes, size_t len, struct wt_error *errp);
/* The same, which only processes of user 'uid' can unseal (MUNGE_UID_ANY: all): munged gives what is within to
 * no other. */
char *seal_for(munge_ctx_t ctx, uid_t uid, const void *bytes, size_t len, struct wt_error *errp);

/* What munge says of a credential of 'len' bytes, which need not be terminated; *bytes is the caller's to free.
 * EMUNGE_CRED_REPLAYED and the like come as munge's code. */
munge_err_t unseal(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid);
/* The same; *for_uid is the user whose processes can unseal it, MUNGE_UID_ANY: all. */
munge_err_t unseal_for(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid,
		       uid_t *for_uid);

#endif
