/* json_memory.h - a limit to the memory that jansson takes: some bytes of gzip make text without end, and each of its bytes
 * up to fifty of jansson's.
 *
 * jansson's functions are those of the whole process: between begin and end no other thread may use jansson. */
#ifndef WT_WORKLOAD_JSON_MEMORY_H
#define WT_WORKLOAD_JSON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define WT_JSON_MEMORY_MAX ((size_t) 4 << 30)	/* bytes: some four million jobs */

void wt_json_memory_begin(size_t max);

/* As before; was more wanted than there was? */
bool wt_json_memory_end(void);

#endif
