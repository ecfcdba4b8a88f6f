/* flame.h - stacks as a flame graph (Gregg, "The Flame Graph", CACM 59(6), 2016): a box for each function, as wide as its
 * share of the samples, upon the one that calls it; threads at the bottom.  A picture without programs in it. */
#ifndef WT_HARNESS_PROFILE_FLAME_H
#define WT_HARNESS_PROFILE_FLAME_H

#include <stdio.h>

#include "harness/profile/stacks.h"

/* Write an SVG file with this title; boxes of less than a thousandth are left out.  Errors are the stream's. */
void flame_print(const struct stacks *stacks, const char *title, FILE *out);

#endif
