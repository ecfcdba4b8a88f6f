/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <netinet/in.h>
#include <string.h>

#include "harness/live/live_request.h"
#include "lib/test_cmocka.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static void address_of(const char *text, const char *url, bool loopback)
{
	struct live_address a;
	struct wt_error error;
	char seen[128];

	assert_int_equal(live_address_parse(text, &a, &error), 0);
	live_address_url(&a, "here", seen, sizeof(seen));
	assert_string_equal(seen, url);
	assert_int_equal(a.loopback, loopback);
}

static void addresses(void **state)
{
	(void) state;
	address_of(NULL, "http://127.0.0.1:0", true);
	address_of("8080", "http://127.0.0.1:8080", true);
	address_of(":8080", "http://127.0.0.1:8080", true);
	address_of("localhost", "http://127.0.0.1:0", true);
	address_of("localhost:80", "http://127.0.0.1:80", true);
	address_of("127.0.0.5:65535", "http://127.0.0.5:65535", true);
	address_of("10.1.2.3:80", "http://10.1.2.3:80", false);
	address_of("0.0.0.0:80", "http://here:80", false);
	address_of("::1", "http://[::1]:0", true);
	address_of("[::1]:80", "http://[::1]:80", true);
	address_of("[::]:80", "http://here:80", false);
}

static void addresses_wrong(void **state)
{
	static const char *const wrong[] = { "", "host", "host:80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "65536",
					     "127.0.0.1:80:80", "[::1", "[::1]80", "1.2.3", "127.0.0.1:-1", " 80", "80 ",
					     "http://127.0.0.1:80" };
	char longer[4096];
	struct live_address a;
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error.text[0] = '\0';
		assert_int_equal(live_address_parse(wrong[i], &a, &error), -1);
		assert_non_null(strstr(error.text, "--serve"));
	}
	memset(longer, '1', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(live_address_parse(longer, &a, &error), -1);
}

static void hosts(void **state)
{
	static const char *const good[] = { "127.0.0.1", "127.0.0.1:8080", "localhost", "LocalHost:1", "[::1]", "[::1]:80",
					    "10.0.0.1:9", "node1:80", "NODE1" };
	static const char *const bad[] = { "", "evil.example", "evil.example:8080", "127.0.0.1.evil.example",
					   "localhost.evil", "127.0.0.1:80x", "127.0.0.1:", "[::1", "node1.evil:80",
					   "node", "[localhost.]",
					   "127.0.0.1@evil", "127.0.0.1:80:80x" };

	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(live_host_allowed(good[i], "node1"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(live_host_allowed(bad[i], "node1"));
	assert_false(live_host_allowed(NULL, "node1"));
	assert_false(live_host_allowed("node1", ""));
}

static unsigned int judged(const char *method, const char *path, const char *host, const char *authorization,
			   enum live_resource *resource)
{
	const struct live_rules rules = { .token = TOKEN };
	const struct live_request request = { method, path, host, authorization };

	return live_request_judge(&rules, &request, resource);
}

static void requests_good(void **state)
{
	enum live_resource r;

	(void) state;
	assert_int_equal(judged("GET", "/" TOKEN "/", "localhost:1", NULL, &r), 200);
	assert_int_equal(r, LIVE_PAGE);
	assert_int_equal(judged("HEAD", "/" TOKEN "/events", "localhost:1", NULL, &r), 200);
	assert_int_equal(r, LIVE_EVENTS);
	assert_int_equal(judged("GET", "/" TOKEN "/metrics", "127.0.0.1", NULL, &r), 200);
	assert_int_equal(r, LIVE_METRICS);
	assert_int_equal(judged("GET", "/metrics", "127.0.0.1", "Bearer " TOKEN, &r), 200);
	assert_int_equal(r, LIVE_METRICS);
	assert_int_equal(judged("GET", "/metrics", "127.0.0.1", "bearer " TOKEN, &r), 200);
}

static void requests_bad(void **state)
{
	enum live_resource r;

	(void) state;
	/* Host, token, method, name: in this order, so that a client without a token learns nothing. */
	assert_int_equal(judged("GET", "/" TOKEN "/", "evil", NULL, &r), 403);
	assert_int_equal(judged("GET", "/" TOKEN "/", NULL, NULL, &r), 403);
	assert_int_equal(judged("POST", "/", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/0123456789abcdef0123456789abcdee/", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/0123456789abcdef0123456789abcde/", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/" TOKEN "0/", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/" TOKEN, "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "//", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", NULL, "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/metrics", "localhost", NULL, &r), 403);
	assert_int_equal(judged("GET", "/metrics", "localhost", TOKEN, &r), 403);
	assert_int_equal(judged("GET", "/metrics", "localhost", "Bearer ", &r), 403);
	assert_int_equal(judged("GET", "/events", "localhost", "Bearer " TOKEN, &r), 403);
	assert_int_equal(judged("POST", "/" TOKEN "/", "localhost", NULL, &r), 405);
	assert_int_equal(judged("OPTIONS", "/" TOKEN "/nothing", "localhost", NULL, &r), 405);
	assert_int_equal(judged("GET", "/" TOKEN "/../", "localhost", NULL, &r), 404);
	assert_int_equal(judged("GET", "/" TOKEN "//", "localhost", NULL, &r), 404);
	assert_int_equal(judged("GET", "/" TOKEN "/favicon.ico", "localhost", NULL, &r), 404);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses), cmocka_unit_test(addresses_wrong), cmocka_unit_test(hosts),
		cmocka_unit_test(requests_good), cmocka_unit_test(requests_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
