/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/credential/munge_credential.h"

static const uint8_t once[CREDENTIAL_RANDOM] = "twenty-four random bytes";
static struct credential_key key;

static void test_key_and_credential_of_munged(void **state)
{
	/* By munged 0.5.15 with a key file of 128 bytes 'k': munge -s hello, uid 0, gid 0, at 127.0.0.1. */
	static const char theirs[] = "MUNGE:AwQFAAD7si62dmGxH17NWrQceYnfwC54WwLgvSbgui3NKyaoiOKuwHJQ4apjxsqt14/OQ84kRF"
		"j9nIxeT+9Ss3diQ0p6v7LT9s3Fnhy29tM4IjF9RxQqkFnWLqPLDYzP0Ovl1YI=:";
	uint8_t bytes[128], *memory = NULL;
	struct credential c;

	(void) state;
	memset(bytes, 'k', sizeof(bytes));
	credential_key_make(&key, bytes, sizeof(bytes));
	assert_int_equal(credential_open(&key, theirs, &c, &memory), 0);
	assert_int_equal(c.payload_len, 5);
	assert_memory_equal(c.payload, "hello", 5);
	assert_int_equal(c.uid, 0);
	assert_int_equal(c.gid, 0);
	assert_int_equal(c.ttl_s, 300);
	assert_int_equal(c.encoded_s, 1795860775);
	assert_true(c.reader_uid == CREDENTIAL_ANY && c.reader_gid == CREDENTIAL_ANY);
	free(memory);
}

static struct credential example(const void *payload, size_t len)
{
	return (struct credential) {
		.origin = 0x0100007f, .encoded_s = 1000000, .ttl_s = 300, .uid = 65534, .gid = 0x80000001, .reader_uid = 7,
		.reader_gid = CREDENTIAL_ANY, .payload = payload, .payload_len = len,
	};
}

static void test_all_lengths_return(void **state)
{
	uint8_t payload[70], *memory;

	(void) state;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t) (i * 7);
	for (size_t len = 0; len <= sizeof(payload); len++) {
		struct credential in = example(payload, len), out;
		char *text = credential_seal(&key, &in, once);

		assert_non_null(text);
		assert_int_equal(credential_open(&key, text, &out, &memory), 0);
		assert_int_equal(out.payload_len, len);
		assert_memory_equal(out.payload, payload, len);
		assert_true(out.origin == in.origin && out.encoded_s == in.encoded_s && out.ttl_s == in.ttl_s &&
			    out.uid == in.uid && out.gid == in.gid && out.reader_uid == 7 &&
			    out.reader_gid == CREDENTIAL_ANY);
		free(memory);
		free(text);
	}
}

static void refused(const char *text, const struct credential_key *with, int error)
{
	uint8_t *memory = (uint8_t *) "x";
	struct credential c;

	assert_int_equal(credential_open(with, text, &c, &memory), -1);
	assert_int_equal(errno, error);
	assert_null(memory);
}

static void test_strangers_and_changes_are_refused(void **state)
{
	struct credential in = example("payload", 7);
	char *text = credential_seal(&key, &in, once);
	struct credential_key other = key;

	(void) state;
	other.mac[0] ^= 1;
	refused(text, &other, EBADMSG);
	other = key;
	other.cipher[19] ^= 1;
	refused(text, &other, EBADMSG);
	/* each character between the armour's ends */
	for (size_t i = 6; i + 2 < strlen(text); i++) {
		char was = text[i];
		uint8_t *memory = NULL;
		struct credential c;

		text[i] = was == 'A' ? 'B' : 'A';
		assert_int_equal(credential_open(&key, text, &c, &memory), -1);
		text[i] = was;
	}
	free(text);
}

static void test_what_is_no_credential(void **state)
{
	static const char *const bad[] = {
		"", ":", "MUNGE:", "MUNGE::", "MUNGE:AwQFAAA=:", "MUNGE:AwQFAAA", "munge:AwQFAAA=:", "MUNGE:!:", "x",
	};
	struct credential in = example("payload", 7);
	char *text = credential_seal(&key, &in, once);

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i], &key, EINVAL);
	/* another cipher: the second byte */
	memcpy(text + 6, "AwUF", 4);
	refused(text, &key, EINVAL);
	free(text);
}

static void test_too_long_is_refused(void **state)
{
	struct credential in = example(NULL, (size_t) CREDENTIAL_PAYLOAD_MAX + 1);

	(void) state;
	assert_null(credential_seal(&key, &in, once));
	assert_int_equal(errno, EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_and_credential_of_munged), cmocka_unit_test(test_all_lengths_return),
		cmocka_unit_test(test_strangers_and_changes_are_refused), cmocka_unit_test(test_what_is_no_credential),
		cmocka_unit_test(test_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
