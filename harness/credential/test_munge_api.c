/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <munge.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/credential/munge_credential.h"
#include "harness/credential/real_munge.h"
#include "lib/clock.h"

static char dir[] = "/tmp/wt-munge-XXXXXX", path[64], key_path[64];
static const uint8_t bytes[128] = "the key";
static unsigned int asked;	/* munged, by whom the conversation goes on */

const struct real_munge *__real_real_munge(void);
const struct real_munge *__wrap_real_munge(void);

static munge_err_t encode(char **cred, munge_ctx_t ctx, const void *buf, int len)
{
	(void) ctx;
	(void) buf;
	(void) len;
	asked++;
	*cred = NULL;
	return EMUNGE_SOCKET;
}

static munge_err_t decode(const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid, gid_t *gid)
{
	(void) cred;
	(void) ctx;
	(void) len;
	(void) uid;
	(void) gid;
	asked++;
	if (buf)
		*buf = NULL;
	return EMUNGE_CRED_INVALID;
}

const struct real_munge *__wrap_real_munge(void)
{
	static struct real_munge real;

	real = *__real_real_munge();
	real.encode = encode;
	real.decode = decode;
	return &real;
}

static int make(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), key;

	(void) state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(key_path, sizeof(key_path), "%s/key", dir);
	strcpy(un.sun_path, path);
	if (fd < 0 || bind(fd, (struct sockaddr *) &un, sizeof(un)) < 0 || close(fd) < 0)
		return -1;
	key = open(key_path, O_WRONLY | O_CREAT | O_EXCL, 0400);
	return key < 0 || write(key, bytes, sizeof(bytes)) != sizeof(bytes) ? -1 : close(key);
}

static int clean(void **state)
{
	(void) state;
	unlink(path);
	unlink(key_path);
	return rmdir(dir);
}

static munge_ctx_t context(void)
{
	munge_ctx_t ctx = munge_ctx_create();

	assert_non_null(ctx);
	assert_int_equal(munge_ctx_set(ctx, MUNGE_OPT_SOCKET, path), EMUNGE_SUCCESS);
	asked = 0;
	return ctx;
}

static void test_seal_and_open_without_munged(void **state)
{
	munge_ctx_t ctx = context();
	struct in_addr origin = { 0 };
	time_t encoded = 0, decoded = 0, now = wt_clock_time_s();
	void *buf = NULL;
	int len = -1, ttl = 0;
	uid_t uid = 77;
	gid_t gid = 77;
	char *cred;

	(void) state;
	assert_int_equal(munge_encode(&cred, ctx, "abc", 3), EMUNGE_SUCCESS);
	assert_int_equal(strncmp(cred, "MUNGE:AwQFAA", 12), 0);
	assert_null(munge_ctx_strerror(ctx));
	assert_int_equal(munge_decode(cred, ctx, &buf, &len, &uid, &gid), EMUNGE_SUCCESS);
	assert_int_equal(len, 3);
	assert_string_equal(buf, "abc");
	assert_true(uid == geteuid() && gid == getegid());
	assert_int_equal(munge_ctx_get(ctx, MUNGE_OPT_ADDR4, &origin), EMUNGE_SUCCESS);
	assert_int_equal(origin.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(munge_ctx_get(ctx, MUNGE_OPT_ENCODE_TIME, &encoded), EMUNGE_SUCCESS);
	assert_int_equal(munge_ctx_get(ctx, MUNGE_OPT_DECODE_TIME, &decoded), EMUNGE_SUCCESS);
	assert_true(encoded >= now - 1 && decoded >= encoded && decoded <= wt_clock_time_s() + 1);
	assert_int_equal(munge_ctx_get(ctx, MUNGE_OPT_TTL, &ttl), EMUNGE_SUCCESS);
	assert_int_equal(ttl, 300);
	assert_int_equal(asked, 0);
	free(buf);
	free(cred);
	munge_ctx_destroy(ctx);
}

static void test_empty_payload_and_no_place_for_it(void **state)
{
	munge_ctx_t ctx = context(), copy;
	void *buf = &ctx;
	int len = -1;
	char *cred;

	(void) state;
	assert_int_equal(munge_encode(&cred, ctx, NULL, 0), EMUNGE_SUCCESS);
	copy = munge_ctx_copy(ctx);
	assert_non_null(copy);
	munge_ctx_destroy(ctx);
	assert_int_equal(munge_decode(cred, copy, &buf, &len, NULL, NULL), EMUNGE_SUCCESS);
	assert_null(buf);
	assert_int_equal(len, 0);
	free(cred);
	assert_int_equal(munge_encode(&cred, copy, "x", 1), EMUNGE_SUCCESS);
	assert_int_equal(munge_decode(cred, copy, NULL, NULL, NULL, NULL), EMUNGE_SUCCESS);
	assert_int_equal(asked, 0);
	free(cred);
	munge_ctx_destroy(copy);
}

static void test_replay(void **state)
{
	munge_ctx_t ctx = context();
	void *buf;
	char *cred;
	int len;
	uid_t uid = 77;

	(void) state;
	assert_int_equal(munge_encode(&cred, ctx, "abc", 3), EMUNGE_SUCCESS);
	assert_int_equal(munge_decode(cred, ctx, NULL, NULL, NULL, NULL), EMUNGE_SUCCESS);
	/* As munged: the contents are told all the same. */
	assert_int_equal(munge_decode(cred, ctx, &buf, &len, &uid, NULL), EMUNGE_CRED_REPLAYED);
	assert_string_equal(buf, "abc");
	assert_int_equal(uid, geteuid());
	assert_string_equal(munge_ctx_strerror(ctx), munge_strerror(EMUNGE_CRED_REPLAYED));
	free(buf);
	free(cred);
	munge_ctx_destroy(ctx);
}

/* What another process with the key would have sealed. */
static char *sealed(uint32_t encoded_s, uint32_t ttl_s, uint32_t reader_uid, uint32_t reader_gid)
{
	static uint8_t once[CREDENTIAL_RANDOM];
	struct credential c = { .encoded_s = encoded_s, .ttl_s = ttl_s, .uid = 5, .gid = 6, .reader_uid = reader_uid,
				.reader_gid = reader_gid, .payload = once, .payload_len = 1 };
	struct credential_key key;
	char *text;

	once[0]++;
	credential_key_make(&key, bytes, sizeof(bytes));
	text = credential_seal(&key, &c, once);
	assert_non_null(text);
	return text;
}

static void expect(char *text, munge_err_t rc, unsigned int asks)
{
	munge_ctx_t ctx = context();
	void *buf = NULL;
	uid_t uid = 77;
	int len = -1;

	assert_int_equal(munge_decode(text, ctx, &buf, &len, &uid, NULL), rc);
	assert_int_equal(asked, asks);
	assert_int_equal(uid, asks ? 77 : 5);
	free(buf);
	free(text);
	munge_ctx_destroy(ctx);
}

static void test_age(void **state)
{
	uint32_t now = (uint32_t) wt_clock_time_s();

	(void) state;
	expect(sealed(now, 300, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_SUCCESS, 0);
	expect(sealed(now - 290, 300, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_SUCCESS, 0);
	expect(sealed(now - 302, 300, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_CRED_EXPIRED, 0);
	expect(sealed(now + 290, 300, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_SUCCESS, 0);
	expect(sealed(now + 400, 300, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_CRED_REWOUND, 0);
	/* No credential lives longer than munged lets it. */
	expect(sealed(now - 3590, UINT32_MAX, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_SUCCESS, 0);
	expect(sealed(now - 3602, UINT32_MAX, CREDENTIAL_ANY, CREDENTIAL_ANY), EMUNGE_CRED_EXPIRED, 0);
}

static void test_whom_it_is_for(void **state)
{
	uint32_t now = (uint32_t) wt_clock_time_s();

	(void) state;
	expect(sealed(now, 300, geteuid(), CREDENTIAL_ANY), EMUNGE_SUCCESS, 0);
	expect(sealed(now, 300, geteuid() + 1, CREDENTIAL_ANY), EMUNGE_CRED_INVALID, 1);
	expect(sealed(now, 300, CREDENTIAL_ANY, getegid()), EMUNGE_CRED_INVALID, 1);
}

static void test_what_is_wrong_goes_to_munged(void **state)
{
	munge_ctx_t ctx = context();
	char *cred = sealed((uint32_t) wt_clock_time_s(), 300, CREDENTIAL_ANY, CREDENTIAL_ANY);

	(void) state;
	expect(strdup(""), EMUNGE_CRED_INVALID, 1);
	expect(strdup("MUNGE:"), EMUNGE_CRED_INVALID, 1);
	cred[40] = cred[40] == 'A' ? 'B' : 'A';
	expect(cred, EMUNGE_CRED_INVALID, 1);
	asked = 0;
	assert_int_equal(munge_decode(NULL, ctx, NULL, NULL, NULL, NULL), EMUNGE_CRED_INVALID);
	assert_int_equal(munge_decode("x", NULL, NULL, NULL, NULL, NULL), EMUNGE_CRED_INVALID);
	assert_int_equal(asked, 2);
	munge_ctx_destroy(ctx);
	munge_ctx_destroy(NULL);
}

static void sealed_by_munged(int opt, int value)
{
	munge_ctx_t ctx = context();
	char *cred = NULL;

	assert_int_equal(munge_ctx_set(ctx, opt, value), EMUNGE_SUCCESS);
	assert_int_equal(munge_encode(&cred, ctx, "abc", 3), EMUNGE_SOCKET);
	assert_int_equal(asked, 1);
	assert_null(cred);
	munge_ctx_destroy(ctx);
}

static void test_what_is_unusual_goes_to_munged(void **state)
{
	munge_ctx_t ctx = context();
	char *cred = NULL;

	(void) state;
	sealed_by_munged(MUNGE_OPT_CIPHER_TYPE, MUNGE_CIPHER_AES256);
	sealed_by_munged(MUNGE_OPT_MAC_TYPE, MUNGE_MAC_SHA512);
	sealed_by_munged(MUNGE_OPT_ZIP_TYPE, MUNGE_ZIP_ZLIB);
	assert_int_equal(munge_encode(&cred, NULL, "abc", 3), EMUNGE_SOCKET);	/* the machine's munged */
	assert_int_equal(munge_encode(&cred, ctx, "abc", -1), EMUNGE_SOCKET);
	assert_int_equal(munge_ctx_set(ctx, MUNGE_OPT_SOCKET, "/nonexistent/socket"), EMUNGE_SUCCESS);
	assert_int_equal(munge_encode(&cred, ctx, "abc", 3), EMUNGE_SOCKET);
	munge_ctx_destroy(ctx);
}

static void test_time_to_live(void **state)
{
	static const struct {
		int asked_for, is;
	} cases[] = { { MUNGE_TTL_DEFAULT, 300 }, { MUNGE_TTL_MAXIMUM, 3600 }, { 7, 7 }, { 4000, 3600 } };

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		munge_ctx_t ctx = context();
		char *cred;
		int ttl = -2;

		assert_int_equal(munge_ctx_set(ctx, MUNGE_OPT_TTL, cases[i].asked_for), EMUNGE_SUCCESS);
		assert_int_equal(munge_encode(&cred, ctx, NULL, 0), EMUNGE_SUCCESS);
		assert_int_equal(munge_decode(cred, ctx, NULL, NULL, NULL, NULL), EMUNGE_SUCCESS);
		assert_int_equal(munge_ctx_get(ctx, MUNGE_OPT_TTL, &ttl), EMUNGE_SUCCESS);
		assert_int_equal(ttl, cases[i].is);
		free(cred);
		munge_ctx_destroy(ctx);
	}
}

/* A daemon that has become another user may not use what it has read before. */
static void test_another_user_asks_munged(void **state)
{
	munge_ctx_t ctx = context();
	char *cred = NULL;
	int status = -1;
	pid_t pid;

	(void) state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(munge_encode(&cred, ctx, NULL, 0), EMUNGE_SUCCESS);
	free(cred);
	pid = fork();
	if (pid == 0)
		_exit(setuid(65534) == 0 && munge_encode(&cred, ctx, NULL, 0) == EMUNGE_SOCKET && asked == 1 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	munge_ctx_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seal_and_open_without_munged),
		cmocka_unit_test(test_empty_payload_and_no_place_for_it),
		cmocka_unit_test(test_replay), cmocka_unit_test(test_age), cmocka_unit_test(test_whom_it_is_for),
		cmocka_unit_test(test_what_is_wrong_goes_to_munged), cmocka_unit_test(test_what_is_unusual_goes_to_munged),
		cmocka_unit_test(test_time_to_live), cmocka_unit_test(test_another_user_asks_munged),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
