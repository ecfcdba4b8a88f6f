/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads are looked at again: one that was proved asleep is passed over only until something has happened that can
 * end a wait of its kind.  One that is passed over wrongly is at work while the clock jumps. */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/clock/surveyor_private.h"
#include "lib/test_cmocka.h"

/* Processes, and their only threads, by slot.  The waiter and the teller count all that they do; the worker does not. */
enum { WAITER, TELLER, WORKER, COUNT };
#define LOOKS_MAX 2000	/* on a busy machine a process may be long in falling asleep */

struct sight {
	struct wt_shm *shm;
	struct wt_surveyor *v;
	int commands[COUNT];
	pid_t pids[COUNT];
};

/* A process that sleeps in read (2), computes for a moment for each byte, and ends with the last. */
static void work_and_sleep(int in)
{
	volatile int n = 0;
	char c;

	while (read(in, &c, 1) == 1)
		while (++n % 1000000)
			;
	_exit(0);
}

static pid_t process_start(struct sight *s, int i)
{
	int in[2];
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);	/* of a test that failed */
		close(in[1]);
		for (int k = 0; k < i; k++)
			close(s->commands[k]);
		work_and_sleep(in[0]);
	}
	close(in[0]);
	s->commands[i] = in[1];
	s->pids[i] = pid;
	return pid;
}

static void process_add(struct sight *s, int i)
{
	pid_t pid = process_start(s, i);
	struct wt_shm_thread *t;

	assert_int_equal(wt_shm_claim_process(s->shm, pid), i);
	s->shm->processes[i].counted = i != WORKER;
	s->shm->processes[i].state = WT_PROCESS_ATTACHED;
	assert_int_equal(wt_shm_claim_thread(s->shm, i), i);
	t = &s->shm->threads[i];
	t->pid = t->tid = pid;
	t->wait_gen = 1;
	t->deadline_ns = INT64_MAX;
	t->state = WT_SLOT_WAITING;
}

static struct sight sight_begin(enum wt_wait_for wait_for)
{
	struct sight s = { .shm = aligned_alloc(64, sizeof(struct wt_shm)) };
	struct wt_error err;

	assert_non_null(s.shm);
	memset(s.shm, 0, sizeof(*s.shm));
	wt_shm_init(s.shm, WT_CHARGE_NONE, 1000, 1, 1, 1);
	s.shm->poker = WT_ADVANCE_NOBODY;
	s.v = wt_surveyor_create(s.shm, &err);
	assert_non_null(s.v);
	for (int i = 0; i < COUNT; i++)
		process_add(&s, i);
	s.shm->threads[WAITER].wait_for = wait_for;
	s.shm->threads[WAITER].joined = TELLER;
	s.shm->threads[WAITER].joined_owner = s.shm->threads[TELLER].owner;
	return s;
}

static void sight_end(struct sight *s)
{
	for (int i = 0; i < COUNT; i++)
		close(s->commands[i]);
	for (int i = 0; i < COUNT; i++)
		waitpid(s->pids[i], NULL, 0);
	wt_surveyor_destroy(s->v);
	free(s->shm);
}

/* True: quiet.  A look at all, for which the thread in slot 0 is the first. */
static bool look(struct sight *s)
{
	struct wt_survey survey;

	s->v->thorough_ns = 0;
	s->v->hot = WT_ADVANCE_NOBODY;
	s->v->threads[WAITER].confirmed = false;
	wt_surveyor_look(s->v, &survey);
	return survey.unrest == WT_UNREST_NONE;
}

static bool is_looked_at(const struct sight *s)
{
	return s->v->threads[WAITER].confirmed;
}

static void look_until_quiet(struct sight *s)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int looks = 0;

	while (!look(s)) {
		assert_true(++looks < LOOKS_MAX);
		nanosleep(&pause, NULL);
	}
}

static void nothing(struct sight *s)
{
	(void) s;
}

static void send_something(struct sight *s)
{
	s->shm->processes[TELLER].sends++;
}

static void send_connect(struct sight *s)
{
	s->shm->processes[TELLER].sends++;
	s->shm->processes[TELLER].connects++;
}

static void send_pipe(struct sight *s)
{
	s->shm->processes[TELLER].sends++;
	s->shm->processes[TELLER].pipes++;
}

static void send_signal(struct sight *s)
{
	s->shm->signals++;
}

static void stir(struct sight *s)
{
	s->shm->processes[WAITER].stirs++;
	s->shm->processes[WAITER].limbo = 1;
}

static void leave(struct sight *s)
{
	s->shm->threads[TELLER].left = 1;
}

/* The thread has ended, and its slot is another's. */
static void change_owner(struct sight *s)
{
	s->shm->threads[TELLER].owner += UINT64_C(1) << 32;
}

static void begin_another_wait(struct sight *s)
{
	s->shm->threads[WAITER].wait_gen++;
}

static void reach_deadline(struct sight *s)
{
	s->shm->threads[WAITER].wake_gen = s->shm->threads[WAITER].wait_gen;
}

static void compute(struct sight *s)
{
	int64_t before_ns = s->v->clocks[WORKER].proved_ns, now_ns = before_ns;
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct timespec ts;

	assert_int_equal(write(s->commands[WORKER], "x", 1), 1);
	while (now_ns == before_ns) {
		nanosleep(&pause, NULL);
		assert_int_equal(clock_gettime(s->v->clocks[WORKER].clock, &ts), 0);
		now_ns = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	}
}

static void end_process(struct sight *s)
{
	pid_t pid = s->shm->processes[TELLER].pid;

	close(s->commands[TELLER]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	s->commands[TELLER] = -1;
}

/* Its parent has not fetched it: this is seen by the look itself, which is no proof then. */
static void become_zombie(struct sight *s)
{
	siginfo_t info;

	close(s->commands[TELLER]);
	assert_int_equal(waitid(P_PID, s->shm->processes[TELLER].pid, &info, WEXITED | WNOWAIT), 0);
	s->commands[TELLER] = -1;
	assert_false(look(s));
}

/* A thread other than the first one of its process; seen by the look itself. */
static void vanish(struct sight *s, enum wt_slot_state state)
{
	int slot = wt_shm_claim_thread(s->shm, TELLER);
	struct wt_shm_thread *t = &s->shm->threads[slot];
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	t->pid = t->tid = pid;	/* of no thread */
	t->state = state;
	assert_int_equal(look(s), state == WT_SLOT_LEAVING);
	assert_int_equal(t->state, WT_SLOT_FREE);
}

static void vanish_while_working(struct sight *s)
{
	vanish(s, WT_SLOT_RUNNING);
}

static void vanish_after_leaving(struct sight *s)
{
	vanish(s, WT_SLOT_LEAVING);
}

#define KINDS (WT_WAIT_THREAD + 1)

/* For each kind of wait, whether it is looked at again after that. */
static const struct doing {
	const char *name;
	void (*happen)(struct sight *s);
	bool looked_at[KINDS];
} doings[] = {
	/*				ANY  WORDS  FILES  CLIENTS  PIPES  SIGNALS  THREAD */
	{ "nothing", nothing,		{ 1,	 0,	0,	 0,	0,	 0,	 0 } },
	{ "a call", send_something,	{ 1,	 0,	1,	 0,	0,	 0,	 0 } },
	{ "a connection", send_connect,	{ 1,	 0,	1,	 1,	0,	 0,	 0 } },
	{ "a pipe", send_pipe,		{ 1,	 0,	1,	 0,	1,	 0,	 0 } },
	{ "a signal", send_signal,	{ 1,	 1,	1,	 1,	1,	 1,	 1 } },
	{ "a condition", stir,		{ 1,	 1,	0,	 0,	0,	 0,	 0 } },
	{ "that one leaves", leave,	{ 1,	 0,	0,	 0,	0,	 0,	 1 } },
	{ "that one is another", change_owner, { 1, 0,	0,	 0,	0,	 0,	 1 } },
	{ "another computes", compute,	{ 1,	 0,	1,	 1,	1,	 1,	 0 } },
	{ "a process ends", end_process, { 1,	 0,	1,	 1,	1,	 1,	 1 } },
	{ "a zombie", become_zombie,	{ 1,	 0,	1,	 1,	1,	 1,	 1 } },
	{ "a thread ends its process", vanish_while_working, { 1, 0, 1,	 1,	1,	 1,	 1 } },
	{ "a thread ends", vanish_after_leaving, { 1, 0, 0,	 0,	0,	 0,	 0 } },
	{ "another wait", begin_another_wait, { 1, 1,	1,	 1,	1,	 1,	 1 } },
	{ "its deadline", reach_deadline, { 1,	 1,	1,	 1,	1,	 1,	 1 } },
};

static bool is_looked_at_after(enum wt_wait_for kind, void (*happen)(struct sight *s))
{
	struct sight s = sight_begin(kind);
	bool looked_at;

	look_until_quiet(&s);
	happen(&s);
	look(&s);
	looked_at = is_looked_at(&s);
	sight_end(&s);
	return looked_at;
}

static void test_what_ends_a_wait_makes_it_looked_at(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++)
		for (int kind = 0; kind < KINDS; kind++) {
			bool looked_at = is_looked_at_after(kind, doings[i].happen);

			if (looked_at != doings[i].looked_at[kind])
				fail_msg("a wait of kind %d is%s looked at after this: %s", kind, looked_at ? "" : " not",
					 doings[i].name);
		}
}

/* What was noticed stays so until all is proved quiet, however many looks are in vain. */
static void test_a_look_in_vain_proves_nothing(void **state)
{
	static void (*const tell[KINDS])(struct sight *s) = {
		[WT_WAIT_OWN_WORDS] = stir, [WT_WAIT_FILES] = send_something, [WT_WAIT_CLIENTS] = send_connect,
		[WT_WAIT_PIPES] = send_pipe, [WT_WAIT_SIGNALS] = send_signal, [WT_WAIT_THREAD] = leave,
	};

	(void) state;
	for (int kind = WT_WAIT_ANY + 1; kind < KINDS; kind++) {
		struct sight s = sight_begin(kind);
		bool looked_at, again;

		look_until_quiet(&s);
		tell[kind](&s);
		s.shm->processes[WORKER].spawns = 1;
		for (int i = 0; i < 2; i++)
			assert_false(look(&s));
		s.shm->processes[WORKER].spawns = 0;
		look(&s);
		looked_at = is_looked_at(&s);
		look_until_quiet(&s);
		look(&s);
		again = is_looked_at(&s);
		sight_end(&s);
		assert_true(looked_at);
		assert_int_equal(again, kind == WT_WAIT_THREAD);	/* which has left for good */
	}
}

/* Deadlines and latest times of the three, and how far a jump may go. */
static int64_t gather(struct sight *s, const int64_t (*waits)[2], int64_t slack_ns)
{
	struct wt_survey survey = { .unrest = WT_UNREST_NONE };

	s->shm->slack_ns = slack_ns;
	for (int i = 0; i < COUNT; i++) {
		s->shm->threads[i].deadline_ns = waits[i][0];
		s->shm->threads[i].latest_ns = waits[i][1];
	}
	surveyor_deadlines(s->v, &survey);
	surveyor_gather(s->v, &survey);
	return survey.latest_ns;
}

static void test_a_jump_gathers_deadlines_up_to_the_first_that_must_not_wait(void **state)
{
	static const int64_t all[COUNT][2] = { { 10, 20 }, { 15, 25 }, { 18, 28 } };
	static const int64_t some[COUNT][2] = { { 10, 16 }, { 15, 25 }, { 18, 28 } };
	static const int64_t strict[COUNT][2] = { { 10, 20 }, { 11, 11 }, { 18, 28 } };
	static const int64_t alone[COUNT][2] = { { 10, 20 }, { 21, 31 }, { 21, 31 } };
	struct sight s = sight_begin(WT_WAIT_OWN_WORDS);

	(void) state;
	assert_int_equal(gather(&s, all, 10), 18);
	assert_int_equal(gather(&s, some, 10), 15);
	assert_int_equal(gather(&s, strict, 10), 11);
	assert_int_equal(gather(&s, alone, 10), 10);
	assert_int_equal(gather(&s, all, 0), 10);
	s.shm->threads[TELLER].wake_gen = s.shm->threads[TELLER].wait_gen;	/* it has been woken: it waits no more */
	assert_int_equal(gather(&s, strict, 10), 18);
	sight_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_ends_a_wait_makes_it_looked_at),
		cmocka_unit_test(test_a_look_in_vain_proves_nothing),
		cmocka_unit_test(test_a_jump_gathers_deadlines_up_to_the_first_that_must_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
