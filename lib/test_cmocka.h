/* test_cmocka.h - what every unit test here includes, in the order that cmocka wants. */
#ifndef WT_LIB_TEST_CMOCKA_H
#define WT_LIB_TEST_CMOCKA_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
