/* real_munge.h - the functions of the libmunge that is loaded behind ours. */
#ifndef WT_HARNESS_CREDENTIAL_REAL_MUNGE_H
#define WT_HARNESS_CREDENTIAL_REAL_MUNGE_H

#include <munge.h>

struct real_munge {
	munge_err_t (*encode)(char **cred, munge_ctx_t ctx, const void *buf, int len);
	munge_err_t (*decode)(const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid, gid_t *gid);
	const char *(*strerror)(munge_err_t e);
	munge_ctx_t (*ctx_create)(void);
	munge_ctx_t (*ctx_copy)(munge_ctx_t ctx);
	void (*ctx_destroy)(munge_ctx_t ctx);
	const char *(*ctx_strerror)(munge_ctx_t ctx);
	munge_err_t (*ctx_get)(munge_ctx_t ctx, int opt, ...);
	munge_err_t (*ctx_set)(munge_ctx_t ctx, int opt, ...);
};

/* Never fails: the library is linked with it. */
const struct real_munge *real_munge(void);

#endif
