/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long things may take. */
#include "config.h"

#include "harness/cluster/supervisor/supervisor.h"

int wt_supervisor_stop_ms(uint32_t nodes)
{
	return 15000 + (int) nodes;		/* saving the state of 65,536 nodes and their jobs takes seconds */
}

int wt_supervisor_start_ms(uint32_t nodes)
{
	return 120000 + (int) nodes * 10;	/* many times what a start takes on 2 cores */
}
