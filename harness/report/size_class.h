/* size_class.h - jobs by the number of their CPUs, for people who read tables: each class four times as large as the one
 * before it.  Pure; any number of threads. */
#ifndef WT_HARNESS_REPORT_SIZE_CLASS_H
#define WT_HARNESS_REPORT_SIZE_CLASS_H

#include <stddef.h>
#include <stdint.h>

/* "2 to 8"; static. */
const char *wt_size_class_name(uint32_t cpus);

/* Where a name that wt_size_class_name () has given stands among them, from 0. */
size_t wt_size_class_order(const char *name);

#endif
