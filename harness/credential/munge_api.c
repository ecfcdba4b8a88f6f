/* SPDX-License-Identifier: GPL-2.0-or-later */
/* munge_api.c - libmunge's functions (munge (3)) for the processes of a cluster in virtual time: libwtmunge.so is preloaded.
 *
 * Credentials are munged's own, sealed and opened here by those who may read its key, so that it may seal and open them
 * just as well: clients from outside, other users' and all that is unusual (other ciphers, compression, credentials for
 * members of a group, ones that are wrong) go to munged.  Their age counts on the virtual clock, which munged sees, too.
 *
 * Replays are found as munged finds them, but by each process for itself: whoever opens a credential twice is told so. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <munge.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "harness/credential/munge_credential.h"
#include "harness/credential/keyring.h"
#include "harness/credential/real_munge.h"
#include "harness/credential/munge_replay.h"
#include "lib/clock.h"

#define EXPORT __attribute__((visibility("default")))
#define MAGIC 0x77746d756e6765ULL
#define TTL_DEFAULT 300	/* munged's */
#define TTL_MAX 3600

struct munge_ctx {
	uint64_t magic;
	munge_ctx_t real;	/* has the options */
	/* of the last call, if it was answered here */
	bool own;
	munge_err_t error;
	bool opened;		/* these are known */
	struct in_addr origin;
	time_t encoded, decoded;
};

static struct munge_replay replays;
static atomic_flag replays_taken = ATOMIC_FLAG_INIT;

/* Not a mutex: see keyring.c. */
static int replays_add(const uint8_t *mac, int64_t expires_s, int64_t now_s)
{
	int rc;

	while (atomic_flag_test_and_set_explicit(&replays_taken, memory_order_acquire))
		sched_yield();
	rc = replay_add(&replays, mac, expires_s, now_s);
	atomic_flag_clear_explicit(&replays_taken, memory_order_release);
	return rc;
}

/* The thread that had it is not in the child, whose table may be half made. */
static void after_fork(void)
{
	if (atomic_flag_test_and_set(&replays_taken))
		memset(&replays, 0, sizeof(replays));
	atomic_flag_clear(&replays_taken);
}

__attribute__((constructor)) static void fork_watch(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

static bool is_ours(munge_ctx_t ctx)
{
	return ctx && ctx->magic == MAGIC;
}

static munge_ctx_t real_of(munge_ctx_t ctx)
{
	return is_ours(ctx) ? ctx->real : ctx;
}

EXPORT munge_ctx_t munge_ctx_create(void)
{
	munge_ctx_t ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return NULL;
	ctx->magic = MAGIC;
	ctx->real = real_munge()->ctx_create();
	if (ctx->real)
		return ctx;
	free(ctx);
	return NULL;
}

EXPORT munge_ctx_t munge_ctx_copy(munge_ctx_t ctx)
{
	munge_ctx_t copy;

	if (!is_ours(ctx))
		return real_munge()->ctx_copy(ctx);
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *ctx;
	copy->real = real_munge()->ctx_copy(ctx->real);
	if (copy->real)
		return copy;
	free(copy);
	return NULL;
}

EXPORT void munge_ctx_destroy(munge_ctx_t ctx)
{
	int saved_errno = errno;

	real_munge()->ctx_destroy(real_of(ctx));
	if (is_ours(ctx)) {
		ctx->magic = 0;
		free(ctx);
	}
	errno = saved_errno;
}

EXPORT const char *munge_ctx_strerror(munge_ctx_t ctx)
{
	if (!is_ours(ctx) || !ctx->own)
		return real_munge()->ctx_strerror(real_of(ctx));
	return ctx->error == EMUNGE_SUCCESS ? NULL : real_munge()->strerror(ctx->error);
}

/* What cannot be set in the real context; false: it has the answer. */
static bool opened_get(munge_ctx_t ctx, int opt, void *to)
{
	switch (opt) {
	case MUNGE_OPT_ADDR4:
		*(struct in_addr *) to = ctx->origin;
		return true;
	case MUNGE_OPT_ENCODE_TIME:
		*(time_t *) to = ctx->encoded;
		return true;
	case MUNGE_OPT_DECODE_TIME:
		*(time_t *) to = ctx->decoded;
		return true;
	default:
		return false;
	}
}

EXPORT munge_err_t munge_ctx_get(munge_ctx_t ctx, int opt, ...)
{
	va_list list;
	void *to;

	/* Every option's argument is the address of something. */
	va_start(list, opt);
	to = va_arg(list, void *);
	va_end(list);
	if (is_ours(ctx)) {
		ctx->error = EMUNGE_SUCCESS;
		ctx->own = ctx->opened && to && opened_get(ctx, opt, to);
		if (ctx->own)
			return EMUNGE_SUCCESS;
	}
	return real_munge()->ctx_get(real_of(ctx), opt, to);
}

EXPORT munge_err_t munge_ctx_set(munge_ctx_t ctx, int opt, ...)
{
	munge_err_t rc;
	va_list list;

	va_start(list, opt);
	if (opt == MUNGE_OPT_REALM || opt == MUNGE_OPT_SOCKET)
		rc = real_munge()->ctx_set(real_of(ctx), opt, va_arg(list, char *));
	else
		rc = real_munge()->ctx_set(real_of(ctx), opt, va_arg(list, int));
	va_end(list);
	if (is_ours(ctx))
		ctx->own = false;
	return rc;
}

/* The key for this conversation, or NULL. */
static const struct credential_key *key_for(munge_ctx_t ctx)
{
	char *socket = NULL;

	if (!is_ours(ctx) || real_munge()->ctx_get(ctx->real, MUNGE_OPT_SOCKET, &socket) != EMUNGE_SUCCESS)
		return NULL;
	return keyring_find(socket);
}

static int option(munge_ctx_t ctx, int opt)
{
	int value = -1;

	return real_munge()->ctx_get(ctx->real, opt, &value) == EMUNGE_SUCCESS ? value : -1;
}

/* Is what is asked for what munged would do by itself? */
static bool is_usual(munge_ctx_t ctx)
{
	int cipher = option(ctx, MUNGE_OPT_CIPHER_TYPE), mac = option(ctx, MUNGE_OPT_MAC_TYPE);
	int zip = option(ctx, MUNGE_OPT_ZIP_TYPE);
	char *realm = NULL;

	return (cipher == MUNGE_CIPHER_DEFAULT || cipher == MUNGE_CIPHER_AES128) &&
	       (mac == MUNGE_MAC_DEFAULT || mac == MUNGE_MAC_SHA256) &&
	       (zip == MUNGE_ZIP_DEFAULT || zip == MUNGE_ZIP_NONE) &&
	       real_munge()->ctx_get(ctx->real, MUNGE_OPT_REALM, &realm) == EMUNGE_SUCCESS && (!realm || !*realm);
}

static char *seal(const struct credential_key *key, munge_ctx_t ctx, const void *buf, size_t len)
{
	struct credential c = { .payload = buf, .payload_len = len, .origin = htonl(INADDR_LOOPBACK) };
	uint8_t random[CREDENTIAL_RANDOM];
	uid_t reader_uid = (uid_t) MUNGE_UID_ANY;
	gid_t reader_gid = (gid_t) MUNGE_GID_ANY;
	int ttl = MUNGE_TTL_DEFAULT;

	if (real_munge()->ctx_get(ctx->real, MUNGE_OPT_TTL, &ttl) != EMUNGE_SUCCESS ||
	    real_munge()->ctx_get(ctx->real, MUNGE_OPT_UID_RESTRICTION, &reader_uid) != EMUNGE_SUCCESS ||
	    real_munge()->ctx_get(ctx->real, MUNGE_OPT_GID_RESTRICTION, &reader_gid) != EMUNGE_SUCCESS ||
	    getrandom(random, sizeof(random), 0) != (ssize_t) sizeof(random))
		return NULL;
	c.ttl_s = ttl == MUNGE_TTL_DEFAULT ? TTL_DEFAULT : ttl < 0 || ttl > TTL_MAX ? TTL_MAX : (uint32_t) ttl;
	c.encoded_s = (uint32_t) wt_clock_time_s();
	/* As munged would learn of us from the kernel (SO_PEERCRED). */
	c.uid = geteuid();
	c.gid = getegid();
	c.reader_uid = reader_uid;
	c.reader_gid = reader_gid;
	return credential_seal(key, &c, random);
}

EXPORT munge_err_t munge_encode(char **cred, munge_ctx_t ctx, const void *buf, int len)
{
	const struct credential_key *key = key_for(ctx);
	bool fits = cred && len >= 0 && (len == 0 || buf);

	if (key && fits && is_usual(ctx)) {
		*cred = seal(key, ctx, buf, (size_t) len);
		if (*cred) {
			ctx->own = true;
			ctx->error = EMUNGE_SUCCESS;
			return EMUNGE_SUCCESS;
		}
	}
	if (is_ours(ctx))
		ctx->own = false;
	return real_munge()->encode(cred, real_of(ctx), buf, len);
}

/* munged tells a context with what options a credential was made. */
static void options_take(munge_ctx_t ctx, const struct credential *c, int64_t now_s)
{
	const struct real_munge *munge = real_munge();

	munge->ctx_set(ctx->real, MUNGE_OPT_CIPHER_TYPE, MUNGE_CIPHER_AES128);
	munge->ctx_set(ctx->real, MUNGE_OPT_MAC_TYPE, MUNGE_MAC_SHA256);
	munge->ctx_set(ctx->real, MUNGE_OPT_ZIP_TYPE, MUNGE_ZIP_NONE);
	munge->ctx_set(ctx->real, MUNGE_OPT_REALM, (char *) NULL);
	munge->ctx_set(ctx->real, MUNGE_OPT_TTL, (int) c->ttl_s);
	munge->ctx_set(ctx->real, MUNGE_OPT_UID_RESTRICTION, (uid_t) c->reader_uid);
	munge->ctx_set(ctx->real, MUNGE_OPT_GID_RESTRICTION, (gid_t) c->reader_gid);
	ctx->opened = true;
	ctx->origin.s_addr = c->origin;
	ctx->encoded = (time_t) c->encoded_s;
	ctx->decoded = (time_t) now_s;
}

/* Its age and whether it was seen before.  Clocks of two machines may differ by as much as it lives: munged's rule. */
static munge_err_t time_look(const struct credential *c, int64_t now_s)
{
	uint32_t ttl = c->ttl_s < TTL_MAX ? c->ttl_s : TTL_MAX;
	int64_t expires_s = (int64_t) c->encoded_s + ttl;

	if (now_s < (int64_t) c->encoded_s - ttl)
		return EMUNGE_CRED_REWOUND;
	if (now_s > expires_s)
		return EMUNGE_CRED_EXPIRED;
	if (replays_add(c->mac, expires_s, now_s) == 0)
		return EMUNGE_SUCCESS;
	return errno == EEXIST ? EMUNGE_CRED_REPLAYED : EMUNGE_NO_MEMORY;
}

/* Like munged's client, with a nought behind it; NULL for an empty one.  -1: ENOMEM. */
static int payload_copy(const struct credential *c, void **buf, int *len)
{
	char *copy = c->payload_len ? malloc(c->payload_len + 1) : NULL;

	if (c->payload_len && !copy)
		return -1;
	if (copy) {
		memcpy(copy, c->payload, c->payload_len);
		copy[c->payload_len] = '\0';
	}
	if (len)
		*len = (int) c->payload_len;
	if (buf)
		*buf = copy;
	else
		free(copy);
	return 0;
}

static munge_err_t opened_tell(munge_ctx_t ctx, const struct credential *c, void **buf, int *len, uid_t *uid, gid_t *gid)
{
	int64_t now_s = wt_clock_time_s();
	munge_err_t rc;

	if (payload_copy(c, buf, len) < 0)
		return EMUNGE_NO_MEMORY;
	if (uid)
		*uid = c->uid;
	if (gid)
		*gid = c->gid;
	rc = time_look(c, now_s);
	options_take(ctx, c, now_s);
	return rc;
}

/* Whom it is for: groups are munged's to know. */
static bool may_open(const struct credential *c)
{
	return (c->reader_uid == CREDENTIAL_ANY || c->reader_uid == geteuid()) && c->reader_gid == CREDENTIAL_ANY;
}

EXPORT munge_err_t munge_decode(const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid, gid_t *gid)
{
	const struct credential_key *key = cred && (!buf || len) ? key_for(ctx) : NULL;
	uint8_t *memory = NULL;
	struct credential c;

	if (key && credential_open(key, cred, &c, &memory) == 0 && may_open(&c)) {
		ctx->own = true;
		ctx->error = opened_tell(ctx, &c, buf, len, uid, gid);
		free(memory);
		return ctx->error;
	}
	free(memory);
	if (is_ours(ctx)) {
		ctx->own = false;
		ctx->opened = false;
	}
	return real_munge()->decode(cred, real_of(ctx), buf, len, uid, gid);
}
