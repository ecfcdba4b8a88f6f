/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/credential/munge_credential.h"
#include "lib/fuzz.h"

static const uint8_t file[32] = "a key that everybody may know";

static char *seal(size_t len)
{
	static const uint8_t once[CREDENTIAL_RANDOM], payload[64];
	struct credential c = { .ttl_s = 300, .payload = payload, .payload_len = len };
	struct credential_key key;

	credential_key_make(&key, file, sizeof(file));
	return credential_seal(&key, &c, once);
}

/* Nothing is opened but what was sealed with the key; what is sealed from the input returns. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *) data, size);
	uint8_t *memory = NULL;
	struct credential_key key;
	struct credential c, back;

	credential_key_make(&key, file, sizeof(file));
	if (!text)
		return 0;
	if (credential_open(&key, text, &c, &memory) == 0 && (c.ttl_s != 300 || c.payload_len > 64))
		abort();
	free(memory);
	free(text);
	c = (struct credential) { .uid = 1, .payload = data, .payload_len = size };
	text = credential_seal(&key, &c, (const uint8_t *) "twenty-four random bytes");
	if (text && (credential_open(&key, text, &back, &memory) < 0 || back.payload_len != size ||
		     (size && memcmp(back.payload, data, size))))
		abort();
	if (text)
		free(memory);
	free(text);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	char *text = index < 3 ? seal(index * 32) : NULL;
	size_t len = text ? strlen(text) : 0;

	if (len > size)
		len = 0;
	if (len)
		memcpy(buf, text, len);
	free(text);
	return len;
}
