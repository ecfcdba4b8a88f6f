/* suggest.h - "did you mean": the known word that is nearest to a mistyped one.  Pure. */
#ifndef WT_LIB_SUGGEST_H
#define WT_LIB_SUGGEST_H

#include <stddef.h>

/* The nearest of 'count' names (each at 'stride' bytes from the last: a field of a table, or names themselves with sizeof
 * (char *)), without regard to case; NULL when none is near: more than a third of the word's letters, and at least one,
 * would have to be changed, left out, put in or swapped (the distance of Damerau and Levenshtein with swaps of neighbours
 * only), and the word is not the beginning of a name either. NULL names are passed over; of equals the first is taken.
 * Words of more than 63 bytes have none near. */
const char *wt_suggest(const char *word, const char *const *names, size_t count, size_t stride);

#endif
