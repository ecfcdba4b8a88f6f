/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "harness/credential/real_munge.h"

static struct real_munge real;

static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol)
		abort();	/* the loader has resolved libmunge, or this would not run */
	/* ISO C has no conversion from an object's pointer to a function's. */
	memcpy(function, &symbol, sizeof(symbol));
}

/* Before any thread could meet another one here. */
__attribute__((constructor)) static void all_find(void)
{
	/* The one function that is called by its name: without it a linker may leave out libmunge. */
	if (!munge_enum_is_valid(MUNGE_ENUM_CIPHER, MUNGE_CIPHER_AES128))
		abort();
	find("munge_encode", &real.encode);
	find("munge_decode", &real.decode);
	find("munge_strerror", &real.strerror);
	find("munge_ctx_create", &real.ctx_create);
	find("munge_ctx_copy", &real.ctx_copy);
	find("munge_ctx_destroy", &real.ctx_destroy);
	find("munge_ctx_strerror", &real.ctx_strerror);
	find("munge_ctx_get", &real.ctx_get);
	find("munge_ctx_set", &real.ctx_set);
}

const struct real_munge *real_munge(void)
{
	return &real;
}
