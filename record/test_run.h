/* test_run.h - one small run, whose figures can be computed by hand, for the tests of this folder.
 *
 * 4 nodes of 4 CPUs, 1000 s is the beginning:
 *
 * job  id   CPUs  sent    reply    start  end   released              probe
 * A.1  101  8     1000    1000.5   1001   1021  n0 1021.5, n1 1022    0.02 s
 * B.1  102  16    1001    1001.25  1022   1032  n0-n3 1033            0.04 s
 * B.2  103  4     1002    1002.25  1033   1034  n2 1034               failed; exit code 1
 * C.1  104  4     1002.5  1003     cancelled while it waited */
#ifndef WT_RECORD_TEST_RUN_H
#define WT_RECORD_TEST_RUN_H

#include "record/events.h"
#include "record/record.h"

struct wt_record *fixture_record(void);		/* as above, complete; wt_record_destroy frees */
struct wt_record *fixture_submitted(void);	/* the same before any event: ids and submissions only */
extern const char fixture_events[];		/* the nodes' events.csv */

#endif
