/* test_gantt_reader.h - for tests: the data of gantt_pack.h read back from a page, independently of the code that wrote
 * them. Fails the test that calls it when something is not as documented. */
#ifndef WT_HARNESS_PAGE_TEST_GANTT_READER_H
#define WT_HARNESS_PAGE_TEST_GANTT_READER_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "harness/page/free_runs.h"

struct gantt_reader {
	json_t *head;
	uint8_t *bytes;
	size_t len;
};

void gantt_reader_open(struct gantt_reader *reader, const char *html);
void gantt_reader_close(struct gantt_reader *reader);
int64_t gantt_reader_number(const struct gantt_reader *reader, const char *key);

/* The caller frees. */
uint32_t *gantt_reader_column(const struct gantt_reader *reader, const char *name, size_t *count);
char *gantt_reader_text(const struct gantt_reader *reader, const char *name, size_t *len);

uint32_t number_unfold(uint32_t value);

/* free_runs.h read back the slow way: a byte for each node. */
struct slow_runs {
	uint8_t *busy;
	uint32_t node_count;
	const struct number_list *lists;
	size_t at[FREE_RUNS_LISTS];
};

/* The ranges of a job of 'nodes' nodes into ranges[], which has room for as many; returns their number.  Takes them. */
size_t slow_runs_read(struct slow_runs *runs, uint32_t nodes, struct gantt_range *ranges);

#endif
