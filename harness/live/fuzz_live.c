/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what the live page's server reads of others: parts divided by NUL are --serve's argument, a method, a path, a Host
 * and an Authorization header, a cluster's state.json, stats.json and events.csv.  A request without the token gets nothing,
 * and whatever the files say, messages are whole lines and metrics end as they should. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/live/live_cluster.h"
#include "harness/live/live_metrics.h"
#include "harness/live/live_request.h"
#include "harness/live/live_view.h"
#include "lib/fuzz.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
enum { PARTS = 8 };

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void request_check(char *const part[PARTS])
{
	const struct live_rules rules = { .token = TOKEN };
	const struct live_request request = { part[1], part[2], part[3], part[4] };
	enum live_resource resource;
	struct live_address address;
	char url[LIVE_URL_SIZE];

	if (live_address_parse(part[0], &address, NULL) == 0)
		live_address_url(&address, "localhost", url, sizeof(url));
	if (live_request_judge(&rules, &request, &resource) != 403)
		require(strstr(part[2], TOKEN) || strstr(part[4], TOKEN));
}

static void files_check(char *const part[PARTS])
{
	static struct live_state state;
	struct live_view *view = live_view_create();
	struct live_cluster cluster = { 0 };
	struct live_message *message;
	const char *type;
	char *text;

	live_state_init(&state);
	state.kind = LIVE_CLUSTER;
	live_cluster_take_state(&cluster, &state, part[5], strlen(part[5]));
	live_cluster_take_nodes(&state, part[6], strlen(part[6]));
	live_cluster_take_events(&cluster, &state, part[7], strlen(part[7]));
	require(state.daemon_count <= LIVE_DAEMONS);
	require(view && live_view_update(view, &state) == 0);
	message = live_view_message(view, 0);
	require(message && strstr(message->text, "\n\n") == message->text + message->len - 2);
	live_message_drop(message);
	live_view_destroy(view);
	text = live_metrics_text(&state, "application/openmetrics-text", &type);
	require(text && strlen(text) > 6 && !strcmp(text + strlen(text) - 6, "# EOF\n"));
	free(text);
	live_cluster_clear(&cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = calloc(1, size + PARTS + 1), *part[PARTS], *at = copy;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	for (int i = 0; i < PARTS; i++) {
		part[i] = at;
		at += strlen(at) + 1;
		if (at > copy + size + PARTS)
			at = copy + size + PARTS;
	}
	request_check(part);
	files_check(part);
	free(copy);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		"[::1]:80\0GET\0/" TOKEN "/events\0localhost:80\0\0"
		"{\"supervisor\": {\"pid\": 5, \"start_time\": 6}, \"daemons\": "
		"[{\"name\": \"slurmctld\", \"pid\": 1, \"start_time\": 2, \"restarts\": 3}]}\0"
		"{\"registered\": 64, \"sent\": 3}\0"
		WT_EVENTS_HEADER "\n100.5,start,1,,,n0,2\n103.5,end,1,,,n0,0\n",
		"127.0.0.1:8080\0HEAD\0/metrics\0[::1]\0Bearer " TOKEN "\0{}\0{}\0",
	};
	static const size_t part_counts[] = { 8, 8 };
	size_t len = 0;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	for (size_t i = 0; i < part_counts[index]; i++)
		len += strlen(seeds[index] + len) + 1;
	if (len > size)
		return 0;
	memcpy(buf, seeds[index], len);
	return len;
}
