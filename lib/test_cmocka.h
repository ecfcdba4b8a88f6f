/* test_cmocka.h - what every unit test here includes, in the order that cmocka wants. */
#ifndef WT_LIB_TEST_CMOCKA_H
#define WT_LIB_TEST_CMOCKA_H

#include <errno.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka 1.1 compares floats, to which seconds since 1970 are equal for two minutes, and takes NAN for equal to all.
 * Here: doubles, no further apart than epsilon and their last bits; NAN equals nothing. */
static inline void wt_float_equal(double a, double b, double epsilon, const char *file, int line)
{
	double apart = a > b ? a - b : b - a, sum = (a < 0 ? -a : a) + (b < 0 ? -b : b);

	if (a == b || apart <= epsilon || apart <= 4 * DBL_EPSILON * sum)
		return;
	print_error("%.17g != %.17g\n", a, b);
	_fail(file, line);
}

#undef assert_float_equal
#define assert_float_equal(a, b, epsilon) wt_float_equal(a, b, epsilon, __FILE__, __LINE__)

#endif
