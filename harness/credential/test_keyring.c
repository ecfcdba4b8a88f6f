/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <errno.h>
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
#include <unistd.h>
#include <cmocka.h>

#include "harness/credential/keyring.h"

static char dir[] = "/tmp/wt-keyring-XXXXXX", path[64], key_path[64];

static void key_write(const char *bytes, size_t len, mode_t mode)
{
	int fd;

	unlink(key_path);
	fd = open(key_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int make(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void) state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", dir);
	snprintf(key_path, sizeof(key_path), "%s/key", dir);
	strcpy(un.sun_path, path);
	return fd < 0 || bind(fd, (struct sockaddr *) &un, sizeof(un)) < 0 ? -1 : close(fd);
}

static int clean(void **state)
{
	(void) state;
	unlink(path);
	unlink(key_path);
	return rmdir(dir);
}

static const char first[40] = "the first key", second[40] = "the second key";

static void test_key_beside_the_socket(void **state)
{
	const struct credential_key *key, *again;
	struct credential_key want;

	(void) state;
	key_write(first, sizeof(first), 0400);
	errno = 7;
	key = keyring_find(path);
	assert_non_null(key);
	assert_int_equal(errno, 7);
	credential_key_make(&want, (const uint8_t *) first, sizeof(first));
	assert_memory_equal(key, &want, sizeof(want));
	assert_ptr_equal(keyring_find(path), key);
	/* a new cluster of the same name */
	key_write(second, sizeof(second), 0400);
	again = keyring_find(path);
	assert_non_null(again);
	credential_key_make(&want, (const uint8_t *) second, sizeof(second));
	assert_memory_equal(again, &want, sizeof(want));
}

static void test_keys_that_are_not_trusted(void **state)
{
	char other[64];

	(void) state;
	key_write(first, sizeof(first), 0440);
	assert_null(keyring_find(path));
	key_write(first, 31, 0400);
	assert_null(keyring_find(path));
	unlink(key_path);
	errno = 7;
	assert_null(keyring_find(path));
	assert_int_equal(errno, 7);
	snprintf(other, sizeof(other), "%s/other", dir);
	key_write(first, sizeof(first), 0400);
	assert_int_equal(rename(key_path, other), 0);
	assert_int_equal(symlink(other, key_path), 0);
	assert_null(keyring_find(path));
	unlink(key_path);
	assert_int_equal(rename(other, key_path), 0);
	assert_non_null(keyring_find(path));
	if (geteuid() == 0) {
		assert_int_equal(chown(key_path, 65534, 65534), 0);
		assert_null(keyring_find(path));	/* root is not its owner, and asks munged */
	}
}

static void test_sockets_that_are_not_there(void **state)
{
	char other[256];

	(void) state;
	key_write(first, sizeof(first), 0400);
	assert_non_null(keyring_find(path));
	assert_null(keyring_find(NULL));
	assert_null(keyring_find(""));
	assert_null(keyring_find("/socket"));
	assert_null(keyring_find("socket"));
	snprintf(other, sizeof(other), "%s/socket2", dir);
	assert_null(keyring_find(other));
	memset(other, 'x', sizeof(other));
	strcpy(other + 200, "/socket");
	assert_null(keyring_find(other));
	/* an outage of munged */
	unlink(path);
	assert_null(keyring_find(path));
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(keyring_find(path));
	rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_beside_the_socket), cmocka_unit_test(test_keys_that_are_not_trusted),
		cmocka_unit_test(test_sockets_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
