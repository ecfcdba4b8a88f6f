/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugins/select_bestfit/ends.h"

struct search {
	const struct ends_asked *asked;
	size_t jobs, at;	/* the next job to look at */
	int64_t base_s, window_s;
	bool based;
};

/* What a batch has come to. */
struct batch {
	size_t taken, last;
	bool cut;		/* at ENDS_BATCH_MAX */
	bool followed;		/* take () has never said no */
};

/* Strictly: an end on a multiple of 30 s goes to the next one. */
static int64_t round_up(int64_t end_s)
{
	return end_s + (ENDS_WINDOW_S - end_s % ENDS_WINDOW_S);
}

static bool is_inside(const struct search *s, size_t job)
{
	return s->asked->end_s(s->asked->arg, job) <= s->base_s + s->window_s;
}

/* A job that does not overlap is passed over whenever it ends; but when it comes next, its end closes the batch. */
static struct batch batch_take(struct search *s)
{
	struct batch b = { .followed = true };

	while (s->at < s->jobs) {
		size_t job = s->at++;

		if (!s->asked->overlaps(s->asked->arg, job))
			continue;
		if (!s->based)
			s->base_s = round_up(s->asked->end_s(s->asked->arg, job));
		s->based = true;
		b.last = job;
		b.followed = s->asked->take(s->asked->arg, job);
		b.taken++;
		if (!b.followed || s->at == s->jobs || !is_inside(s, s->at))
			break;
		/* Slurm's own limit, counted as Slurm counts it: the batch has one job more than it. */
		b.cut = b.taken > ENDS_BATCH_MAX;
		if (b.cut)
			break;
	}
	return b;
}

/* At least once, and until the next job is inside.  false: too far. */
static bool window_grow(struct search *s, int growth_s)
{
	do {
		s->window_s = growth_s ? s->window_s + growth_s : s->window_s * 2;
		if (s->window_s > ENDS_WINDOW_MAX_S || s->window_s <= 0)
			return false;
	} while (s->at < s->jobs && !is_inside(s, s->at));
	return true;
}

enum ends_answer ends_search(const struct ends_asked *asked, size_t jobs, int growth_s, size_t *last)
{
	struct search s = { .asked = asked, .jobs = jobs, .window_s = ENDS_WINDOW_S };

	while (s.at < s.jobs) {
		struct batch b = batch_take(&s);

		if (!b.followed)
			return ENDS_UNKNOWN;
		if (!b.taken)
			return ENDS_NEVER;
		if (b.cut)
			continue;
		if (!window_grow(&s, growth_s))
			return ENDS_UNKNOWN;
		*last = b.last;
		if (asked->test(asked->arg))
			return ENDS_FOUND;
	}
	return ENDS_NEVER;
}
