/* wt_test.h - what every unit test here includes, in the order that cmocka wants. */
#ifndef WT_TEST_H
#define WT_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
