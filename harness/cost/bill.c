/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/cost/bill.h"

#define KWH_J 3.6e6

/* ---- what a node did ---------------------------------------------------------------------------------------------- */

struct node_walk {
	const struct cost_node *node;
	void (*take)(void *arg, const struct cost_piece *piece);
	void *arg;
	size_t busy;		/* spans before this one have ended */
};

static void piece_take(const struct node_walk *w, enum cost_state state, int64_t from_us, int64_t to_us)
{
	const struct cost_piece piece = { state, from_us, to_us };

	w->take(w->arg, &piece);
}

static void idle_take(const struct node_walk *w, int64_t from_us, int64_t to_us)
{
	if (to_us > from_us)
		piece_take(w, COST_IDLE, from_us, to_us);
}

/* While its machine is on, a node is busy or idle. */
static void on_take(struct node_walk *w, int64_t from_us, int64_t to_us)
{
	for (; w->busy < w->node->busy_count && w->node->busy[w->busy].from_us < to_us; w->busy++) {
		const struct cost_span *busy = &w->node->busy[w->busy];
		int64_t begin_us = busy->from_us > from_us ? busy->from_us : from_us;
		int64_t end_us = busy->to_us < to_us ? busy->to_us : to_us;

		if (end_us > begin_us) {
			idle_take(w, from_us, begin_us);
			piece_take(w, COST_BUSY, begin_us, end_us);
			from_us = end_us;
		}
		if (busy->to_us > to_us)
			break;	/* it goes on behind this piece */
	}
	idle_take(w, from_us, to_us);
}

static void machine_take(struct node_walk *w, enum wt_machine machine, int64_t from_us, int64_t to_us)
{
	switch (machine) {
	case WT_MACHINE_ON:
		on_take(w, from_us, to_us);
		break;
	case WT_MACHINE_BOOTING:
		piece_take(w, COST_BOOTING, from_us, to_us);
		break;
	case WT_MACHINE_STOPPING:
		piece_take(w, COST_STOPPING, from_us, to_us);
		break;
	case WT_MACHINE_OFF:
		piece_take(w, COST_OFF, from_us, to_us);
		break;
	}
}

void cost_walk(const struct cost_node *node, const struct cost_span *window,
	       void (*take)(void *arg, const struct cost_piece *piece), void *arg)
{
	struct node_walk w = { .node = node, .take = take, .arg = arg };
	enum wt_machine machine = WT_MACHINE_ON;
	int64_t at_us = window->from_us;

	for (size_t i = 0; i < node->row_count && node->rows[i].time_us < window->to_us; i++) {
		enum wt_machine next = wt_machine_after(machine, node->rows[i].event);

		if (next == machine)
			continue;
		if (node->rows[i].time_us > window->from_us) {
			machine_take(&w, machine, at_us, node->rows[i].time_us);
			at_us = node->rows[i].time_us;
		}
		machine = next;
	}
	machine_take(&w, machine, at_us, window->to_us);
}

/* ---- what that costs ---------------------------------------------------------------------------------------------- */

struct rental {
	const struct cost_tariff *tariff;
	struct cost_sums *sums;
	int64_t paid_us;	/* of the machine that is there now */
	double joule;
};

double cost_units(const struct cost_tariff *tariff, int64_t paid_us)
{
	if (paid_us <= 0)
		return 0;
	if (paid_us < tariff->minimum_us)
		paid_us = tariff->minimum_us;
	return (double) (paid_us / tariff->unit_us + (paid_us % tariff->unit_us != 0));
}

static void rental_end(struct rental *r)
{
	r->sums->rentals += r->paid_us > 0;
	r->sums->units += cost_units(r->tariff, r->paid_us);
	r->paid_us = 0;
}

static bool state_paid(const struct cost_tariff *tariff, enum cost_state state)
{
	return state == COST_BUSY || state == COST_IDLE || (state == COST_BOOTING && tariff->boot_paid) ||
	       (state == COST_STOPPING && tariff->stop_paid);
}

static void rental_take(void *arg, const struct cost_piece *piece)
{
	struct rental *r = arg;
	int64_t us = piece->to_us - piece->from_us;

	r->sums->node_s[piece->state] += (double) us / 1e6;
	r->joule += r->tariff->watts[piece->state] * (double) us / 1e6;
	if (piece->state == COST_OFF)
		rental_end(r);
	else if (state_paid(r->tariff, piece->state))
		r->paid_us += us;
}

/* Boots, as their rows tell; what happened before the window is not counted, but goes on in it. */
static void boots_count(struct cost_sums *sums, const struct cost_node *node, const struct cost_span *window)
{
	enum wt_machine machine = WT_MACHINE_ON;
	int64_t up_us = -1;	/* its slurmd runs, unseen, since then; -1: no */

	for (size_t i = 0; i < node->row_count && node->rows[i].time_us <= window->to_us; i++) {
		const struct wt_power_row *row = &node->rows[i];
		enum wt_machine next = wt_machine_after(machine, row->event);
		bool within = row->time_us >= window->from_us;

		sums->boots += within && row->event == WT_POWER_EVENT_BOOTING;
		sums->stock_outs += within && row->event == WT_POWER_EVENT_STOCK_OUT;
		sums->taken += within && row->event == WT_POWER_EVENT_TAKEN;
		sums->boots_lost += within && machine == WT_MACHINE_BOOTING && next != machine && next != WT_MACHINE_ON;
		if (up_us >= 0 && (row->event == WT_POWER_EVENT_REGISTERED || next != WT_MACHINE_ON)) {
			int64_t from_us = up_us > window->from_us ? up_us : window->from_us;

			sums->unseen_node_s += row->time_us > from_us ? (double) (row->time_us - from_us) / 1e6 : 0;
			up_us = -1;
		}
		if (row->event == WT_POWER_EVENT_UP && up_us < 0)
			up_us = row->time_us;
		machine = next;
	}
	if (up_us >= 0)
		sums->unseen_node_s += (double) (window->to_us - (up_us > window->from_us ? up_us : window->from_us)) / 1e6;
}

static void always_add(struct cost_sums *sums, const struct cost_tariff *tariff, double busy_s,
		       const struct cost_span *window)
{
	int64_t span_us = window->to_us - window->from_us;
	double units = cost_units(tariff, span_us), unit_s = (double) tariff->unit_us / 1e6;

	sums->always_units += units;
	sums->always_billed_node_s += units * unit_s;
	sums->always_cost += units * unit_s / 3600 * tariff->price;
	sums->always_energy_kwh += (busy_s * tariff->watts[COST_BUSY] +
				    ((double) span_us / 1e6 - busy_s) * tariff->watts[COST_IDLE]) / KWH_J;
}

void cost_node_add(struct cost_sums *sums, const struct cost_tariff *tariff, const struct cost_node *node,
		   const struct cost_span *window)
{
	struct cost_sums one = { .nodes = 1 };
	struct rental r = { .tariff = tariff, .sums = &one };

	cost_walk(node, window, rental_take, &r);
	rental_end(&r);
	boots_count(&one, node, window);
	one.billed_node_s = one.units * (double) tariff->unit_us / 1e6;
	one.cost = one.billed_node_s / 3600 * tariff->price;
	one.energy_kwh = r.joule / KWH_J;
	always_add(&one, tariff, one.node_s[COST_BUSY], window);
	cost_sums_add(sums, &one);
}

void cost_sums_times(struct cost_sums *sums, uint32_t nodes)
{
	sums->nodes *= nodes;
	for (int s = 0; s < COST_STATES; s++)
		sums->node_s[s] *= nodes;
	sums->rentals *= nodes;
	sums->boots *= nodes;
	sums->boots_lost *= nodes;
	sums->stock_outs *= nodes;
	sums->taken *= nodes;
	sums->unseen_node_s *= nodes;
	sums->units *= nodes;
	sums->billed_node_s *= nodes;
	sums->always_units *= nodes;
	sums->always_billed_node_s *= nodes;
	sums->cost *= nodes;
	sums->always_cost *= nodes;
	sums->energy_kwh *= nodes;
	sums->always_energy_kwh *= nodes;
}

void cost_sums_add(struct cost_sums *sums, const struct cost_sums *others)
{
	sums->nodes += others->nodes;
	for (int s = 0; s < COST_STATES; s++)
		sums->node_s[s] += others->node_s[s];
	sums->rentals += others->rentals;
	sums->boots += others->boots;
	sums->boots_lost += others->boots_lost;
	sums->stock_outs += others->stock_outs;
	sums->taken += others->taken;
	sums->unseen_node_s += others->unseen_node_s;
	sums->units += others->units;
	sums->billed_node_s += others->billed_node_s;
	sums->always_units += others->always_units;
	sums->always_billed_node_s += others->always_billed_node_s;
	sums->cost += others->cost;
	sums->always_cost += others->always_cost;
	sums->energy_kwh += others->energy_kwh;
	sums->always_energy_kwh += others->always_energy_kwh;
}
