/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what sacctmgr and scontrol have printed of nodes and reservations: whatever it was, a run can read what comes of
 * it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/site/site_world.h"
#include "lib/fuzz.h"
#include "workload/jobs_file.h"

static const char *const seeds[] = {
	"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nc|n1|100|200|DOWN*|it burns|root(0)\n"
	"c|n2|100|Unknown|IDLE+DRAIN|x|\nc|n1|200|300|DRAINED|x|\nc||1|2|||\n",
	"ReservationName=m StartTime=100 EndTime=900 Duration=00:10:00 Nodes=n[1-2] NodeCnt=2 Features=(null) "
	"PartitionName=(null) Flags=MAINT,SPEC_NODES,DAILY TRES=cpu=2 Users=root,ann Groups=(null) Accounts=(null)\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void written_read(const struct wt_world *world)
{
	struct wt_swf_trace trace = { .world = *world }, again;
	struct wt_error err = { "" };
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream || wt_jobs_file_write(stream, &trace, &err) < 0)
		abort();
	fputs("{\"id\":1,\"submit_s\":50,\"run_time_s\":1}\n", stream);
	if (fclose(stream) != 0)
		abort();
	stream = fmemopen(text, size, "r");
	if (!stream || wt_jobs_file_read(&again, stream, "again", NULL, &err) < 0 || again.world.count != world->count) {
		fprintf(stderr, "%s\n%s\n", err.text, text);
		abort();
	}
	fclose(stream);
	wt_swf_trace_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *) data, size);
	json_t *nodes = json_pack("{s:b, s:b, s:b}", "n1", 1, "n2", 1, "n3", 1);
	struct wt_people people = { 0 };
	struct wt_site_world w = { .people = &people, .nodes = nodes };
	struct wt_error err;

	if (!text || !nodes || wt_people_init(&people, &err) < 0 || wt_site_world_init(&w, &err) < 0 ||
	    wt_site_world_events(&w, text, &err) < 0 || wt_site_world_reservations(&w, text, 50, &err) < 0 ||
	    wt_site_world_finish(&w, &err) < 0)
		abort();
	written_read(&w.world);
	wt_site_world_clear(&w);
	wt_people_clear(&people);
	json_decref(nodes);
	free(text);
	return 0;
}
