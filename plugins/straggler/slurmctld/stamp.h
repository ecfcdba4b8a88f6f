/* stamp.h - which of the scheduler's own files of jobs says what this process's scheduler knew, and when.  Pure.
 *
 * The file bears the time at which it was begun, by the clock of the machine that wrote it.  Not believed is a file that was
 * there before us (another slurmctld's, by another machine's clock), nor the first one that comes after the clock was set
 * back: it may have been begun before, and then bears a time later than all that was seen since. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_STAMP_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#define STAMP_STEP_US 5000	/* a clock set back by less is not seen ... */
#define STAMP_MARGIN_US 10000	/* ... so what is seen is taken to be so much younger */

struct stamp_file {
	uint64_t inode;
	int64_t changed_s, changed_ns;
};

struct stamps {
	bool clocked, seen;	/* false: the first one is to come */
	bool doubted;		/* the next file is not to be believed */
	int64_t offset_us;	/* of the clock to a monotonic one */
	struct stamp_file last;
	int64_t believed_s;
};

/* Both clocks, read at one moment.  True: it was set back; nothing is believed until another file or two have come. */
bool stamps_clock(struct stamps *s, int64_t real_us, int64_t monotonic_us);

/* Whether it is another file than the last one: then its stamp is to be read, and told by stamps_take (). */
bool stamps_fresh(const struct stamps *s, const struct stamp_file *file);
void stamps_take(struct stamps *s, const struct stamp_file *file, int64_t stamp_s);

/* What the file has is all that was known before this second; 0: nothing is known to be in it. */
static inline int64_t stamps_believed_s(const struct stamps *s)
{
	return s->believed_s;
}

#endif
