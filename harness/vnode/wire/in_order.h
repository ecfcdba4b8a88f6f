/* in_order.h - which of several requests has its turn, whatever order they came in.
 *
 * The controller's threads send at one moment of virtual time what its own clock does not order: which of them comes first
 * is the machine's whim, and a run would not repeat itself.  So with a clock that stands while any thread works, requests
 * wait until all is quiet; then the least has its turn, and the next one when all is quiet again. Pure: the order is that
 * of the message type, then of the message's bytes (a job's id is among the first), then of the address. Bodies begin
 * behind the credential, which is another one each time.  Source of the layout: header.h. */
#ifndef WT_HARNESS_VNODE_WIRE_IN_ORDER_H
#define WT_HARNESS_VNODE_WIRE_IN_ORDER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_turn {
	uint16_t kind;		/* message type; UINT16_MAX: not a message */
	const uint8_t *body;	/* in the frame */
	size_t body_len;
	uint32_t address;	/* of the node, host byte order */
};

/* 'frame' must outlive *turn; anything is accepted. */
void wt_turn_read(struct wt_turn *turn, const uint8_t *frame, size_t len, in_addr_t address);

/* True when 'a' has to come before 'b'.  Of equals neither. */
bool wt_turn_before(const struct wt_turn *a, const struct wt_turn *b);

#endif
