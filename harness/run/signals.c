/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>

#include "harness/run/signals.h"

volatile sig_atomic_t wt_signals_count;

static void count(int signum)
{
	(void) signum;
	wt_signals_count++;
}

void wt_signals_catch(void)
{
	struct sigaction action = { .sa_handler = count };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}
