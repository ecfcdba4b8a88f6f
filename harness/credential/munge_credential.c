/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <nettle/aes.h>
#include <nettle/base64.h>
#include <nettle/cbc.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha1.h>
#include <stdlib.h>
#include <string.h>

#include "harness/credential/munge_credential.h"

#define PREFIX "MUNGE:"
#define SUFFIX ":"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define BLOCK AES_BLOCK_SIZE
#define HEAD 5			/* version, cipher, MAC, compression, length of the realm */
#define OUTER (HEAD + BLOCK)
#define SALT (CREDENTIAL_RANDOM - BLOCK)
#define FIXED (SALT + 1 + 4 + 7 * 4)	/* of the inner part, besides the payload */

/* munge.h has the names: AES128, SHA256, none. */
static const uint8_t head[HEAD] = { 3, 4, 5, 0, 0 };

static void subkey(uint8_t out[SHA1_DIGEST_SIZE], const uint8_t *bytes, size_t len, uint8_t which)
{
	struct sha1_ctx ctx;

	sha1_init(&ctx);
	sha1_update(&ctx, len, bytes);
	sha1_update(&ctx, 1, &which);
	sha1_digest(&ctx, SHA1_DIGEST_SIZE, out);
	explicit_bzero(&ctx, sizeof(ctx));
}

void credential_key_make(struct credential_key *key, const uint8_t *bytes, size_t len)
{
	subkey(key->cipher, bytes, len, '1');
	subkey(key->mac, bytes, len, '2');
}

static void mac_of(const struct credential_key *key, const uint8_t *outer, const uint8_t *inner, size_t len,
		   uint8_t mac[CREDENTIAL_MAC])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, sizeof(key->mac), key->mac);
	hmac_sha256_update(&ctx, OUTER, outer);
	hmac_sha256_update(&ctx, len, inner);
	hmac_sha256_digest(&ctx, CREDENTIAL_MAC, mac);
}

static void cipher_key(const struct credential_key *key, const uint8_t mac[CREDENTIAL_MAC], uint8_t out[AES128_KEY_SIZE])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, sizeof(key->cipher), key->cipher);
	hmac_sha256_update(&ctx, CREDENTIAL_MAC, mac);
	hmac_sha256_digest(&ctx, AES128_KEY_SIZE, out);
}

static void encrypt(const uint8_t key[AES128_KEY_SIZE], const uint8_t iv[BLOCK], uint8_t *bytes, size_t len)
{
	struct CBC_CTX(struct aes128_ctx, BLOCK) ctx;

	aes128_set_encrypt_key(&ctx.ctx, key);
	CBC_SET_IV(&ctx, iv);
	CBC_ENCRYPT(&ctx, aes128_encrypt, len, bytes, bytes);
	explicit_bzero(&ctx, sizeof(ctx));
}

static void decrypt(const uint8_t key[AES128_KEY_SIZE], const uint8_t iv[BLOCK], uint8_t *bytes, size_t len)
{
	struct CBC_CTX(struct aes128_ctx, BLOCK) ctx;

	aes128_set_decrypt_key(&ctx.ctx, key);
	CBC_SET_IV(&ctx, iv);
	CBC_DECRYPT(&ctx, aes128_decrypt, len, bytes, bytes);
	explicit_bzero(&ctx, sizeof(ctx));
}

static uint8_t *number_put(uint8_t *at, uint32_t n)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t) (n >> shift);
	return at;
}

static uint32_t number_take(const uint8_t **at)
{
	const uint8_t *p = *at;

	*at += 4;
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

/* The inner part; its length. */
static size_t inner_put(uint8_t *inner, const struct credential *c, const uint8_t salt[SALT])
{
	uint8_t *at = inner;

	memcpy(at, salt, SALT);
	at += SALT;
	*at++ = sizeof(c->origin);
	memcpy(at, &c->origin, sizeof(c->origin));
	at = number_put(at + sizeof(c->origin), c->encoded_s);
	at = number_put(at, c->ttl_s);
	at = number_put(at, c->uid);
	at = number_put(at, c->gid);
	at = number_put(at, c->reader_uid);
	at = number_put(at, c->reader_gid);
	at = number_put(at, (uint32_t) c->payload_len);
	if (c->payload_len)
		memcpy(at, c->payload, c->payload_len);
	return (size_t) (at - inner) + c->payload_len;
}

static char *armour(const uint8_t *bytes, size_t len)
{
	size_t room = BASE64_ENCODE_RAW_LENGTH(len);
	char *text = malloc(PREFIX_LEN + room + sizeof(SUFFIX));

	if (!text)
		return NULL;
	memcpy(text, PREFIX, PREFIX_LEN);
	base64_encode_raw(text + PREFIX_LEN, len, bytes);
	memcpy(text + PREFIX_LEN + room, SUFFIX, sizeof(SUFFIX));
	return text;
}

char *credential_seal(const struct credential_key *key, const struct credential *c,
		      const uint8_t random[CREDENTIAL_RANDOM])
{
	uint8_t *bytes, *mac, *inner, secret[AES128_KEY_SIZE];
	size_t len, padding;
	char *text;

	if (c->payload_len > CREDENTIAL_PAYLOAD_MAX) {
		errno = EMSGSIZE;
		return NULL;
	}
	bytes = malloc(OUTER + CREDENTIAL_MAC + FIXED + c->payload_len + BLOCK);
	if (!bytes)
		return NULL;
	mac = bytes + OUTER;
	inner = mac + CREDENTIAL_MAC;
	memcpy(bytes, head, HEAD);
	memcpy(bytes + HEAD, random, BLOCK);
	len = inner_put(inner, c, random + BLOCK);
	mac_of(key, bytes, inner, len, mac);
	padding = BLOCK - len % BLOCK;	/* PKCS #5 */
	memset(inner + len, (int) padding, padding);
	len += padding;
	cipher_key(key, mac, secret);
	encrypt(secret, random, inner, len);
	explicit_bzero(secret, sizeof(secret));
	text = armour(bytes, OUTER + CREDENTIAL_MAC + len);
	free(bytes);
	return text;
}

/* The bytes behind the armour; the caller frees them. */
static uint8_t *armour_open(const char *text, size_t *len)
{
	size_t text_len = strlen(text);
	struct base64_decode_ctx ctx;
	uint8_t *bytes;

	if (text_len <= PREFIX_LEN + 1 || strncmp(text, PREFIX, PREFIX_LEN) != 0 || text[text_len - 1] != SUFFIX[0]) {
		errno = EINVAL;
		return NULL;
	}
	text_len -= PREFIX_LEN + 1;
	*len = BASE64_DECODE_LENGTH(text_len);
	bytes = malloc(*len);
	if (!bytes)
		return NULL;
	base64_decode_init(&ctx);
	if (base64_decode_update(&ctx, len, bytes, text_len, text + PREFIX_LEN) && base64_decode_final(&ctx))
		return bytes;
	free(bytes);
	errno = EINVAL;
	return NULL;
}

/* The length of the inner part without its padding, or 0: its padding is wrong, as after a wrong key. */
static size_t unpadded(const uint8_t *inner, size_t len)
{
	uint8_t padding = inner[len - 1];

	if (padding < 1 || padding > BLOCK)
		return 0;
	for (size_t i = len - padding; i < len; i++)
		if (inner[i] != padding)
			return 0;
	return len - padding;
}

/* Behind the MAC: what it covers was made by somebody who has the key. */
static int inner_read(const uint8_t *inner, size_t len, struct credential *c)
{
	const uint8_t *at = inner + SALT;

	if (len < FIXED || *at++ != sizeof(c->origin))
		return -1;
	memcpy(&c->origin, at, sizeof(c->origin));
	at += sizeof(c->origin);
	c->encoded_s = number_take(&at);
	c->ttl_s = number_take(&at);
	c->uid = number_take(&at);
	c->gid = number_take(&at);
	c->reader_uid = number_take(&at);
	c->reader_gid = number_take(&at);
	c->payload_len = number_take(&at);
	c->payload = at;
	return c->payload_len == len - FIXED ? 0 : -1;
}

static int bytes_open(const struct credential_key *key, uint8_t *bytes, size_t len, struct credential *c)
{
	uint8_t *inner = bytes + OUTER + CREDENTIAL_MAC, secret[AES128_KEY_SIZE], mac[CREDENTIAL_MAC];

	if (len < OUTER + CREDENTIAL_MAC + BLOCK || memcmp(bytes, head, HEAD) != 0)
		return EINVAL;
	len -= OUTER + CREDENTIAL_MAC;
	if (len % BLOCK)
		return EINVAL;
	memcpy(c->mac, bytes + OUTER, CREDENTIAL_MAC);
	cipher_key(key, c->mac, secret);
	decrypt(secret, bytes + HEAD, inner, len);
	explicit_bzero(secret, sizeof(secret));
	len = unpadded(inner, len);
	mac_of(key, bytes, inner, len, mac);
	if (!memeql_sec(mac, c->mac, CREDENTIAL_MAC))
		return EBADMSG;
	return inner_read(inner, len, c) < 0 ? EINVAL : 0;
}

int credential_open(const struct credential_key *key, const char *text, struct credential *c, uint8_t **memory)
{
	size_t len;
	int rc;

	*memory = armour_open(text, &len);
	if (!*memory)
		return -1;
	rc = bytes_open(key, *memory, len, c);
	if (rc == 0)
		return 0;
	free(*memory);
	*memory = NULL;
	errno = rc;
	return -1;
}
