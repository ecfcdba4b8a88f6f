/* fuzz.h - what a fuzz target provides; lib/libfuzz.la has the main () that calls it with mutated inputs.
 *
 * A target is a check_PROGRAM named fuzz_* that links libfuzz.la.  LLVMFuzzerTestOneInput has the name and meaning that
 * LLVM's libFuzzer gives it (https://llvm.org/docs/LibFuzzer.html), so clang's guided engine can drive the same file. */
#ifndef WT_LIB_FUZZ_H
#define WT_LIB_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed 'size' bytes of untrusted input to the code under test.  Must not keep 'data' and must return 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional.  Write the index-th valid input into buf and return its length, at most 'size'; 0: there are no more.
 * Without it (and without files on the command line) mutation starts from empty inputs. */
size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size);

#endif
