/* fake_launch.h - for the tests: a launch of tasks that is as it should be, but for the signature of its credential. */
#ifndef WT_COMPAT_FAKE_LAUNCH_H
#define WT_COMPAT_FAKE_LAUNCH_H

#include "compat/full.h"

/* One task of step 0 of a job on node n0.  'uid' is the job's user by the credential, 'told_uid' the one that the launch
 * says of itself: up to 23.02 in the message, later in the credential too.  What it allocates is never freed. */
void compat_launch_fake(launch_tasks_request_msg_t *launch, uint32_t job_id, uid_t uid, uid_t told_uid);

#endif
