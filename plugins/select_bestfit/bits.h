/* bits.h - Slurm's bitmaps word by word.  For the plugin's adapter only.
 *
 * A bitstr_t is an array of 64-bit words; the first BITSTR_OVERHEAD of them are its head (src/common/bitstring.h).  Bits
 * beyond its size may be set in the last word, as bit_not () leaves them; the maps that slurmctld offers a job have none,
 * for it makes them of a partition's.  Code that one would lead beyond an array asks bits_clean () first. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_BITS_H
#define WT_PLUGINS_SELECT_BESTFIT_BITS_H

#include "compat/controller.h"

#ifdef SLURM_BIGENDIAN
#error "bits.h numbers the bits of a word from its lowest: not so on big-endian machines"
#endif

static inline uint32_t bits_word_count(uint32_t bits)
{
	return (bits + 63) / 64;
}

static inline const uint64_t *bits_words(const bitstr_t *b)
{
	return (const uint64_t *) (b + BITSTR_OVERHEAD);
}

static inline void bits_set(uint64_t *words, uint32_t bit)
{
	words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline bool bits_test(const uint64_t *words, uint32_t bit)
{
	return words[bit / 64] >> bit % 64 & 1;
}

/* No bit beyond the size is set. */
static inline bool bits_clean(const bitstr_t *b)
{
	uint32_t bits = (uint32_t) bit_size((bitstr_t *) b);

	return bits % 64 == 0 || !(bits_words(b)[bits / 64] >> bits % 64);
}

#endif
