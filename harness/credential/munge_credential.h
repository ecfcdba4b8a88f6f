/* munge_credential.h - munge's credentials of version 3, sealed and opened with the key at hand.
 *
 * Pure but for memory.  The layout is that of munge's doc/credential_v3_format.txt; only what munged makes unless it is
 * asked for something else is known here: AES-128 in CBC mode, HMAC-SHA-256, no compression, no realm.  The two subkeys are
 * SHA-1 (key file, '1') for the cipher and SHA-1 (key file, '2') for the MAC, and the cipher's key is the beginning of the
 * HMAC of the MAC: found by trial with munged 0.5.15, and compared with it by t/t0706-credentials.t. */
#ifndef WT_HARNESS_CREDENTIAL_MUNGE_CREDENTIAL_H
#define WT_HARNESS_CREDENTIAL_MUNGE_CREDENTIAL_H

#include <stddef.h>
#include <stdint.h>

#define CREDENTIAL_MAC 32
#define CREDENTIAL_RANDOM 24	/* the initial vector and the salt */
#define CREDENTIAL_ANY UINT32_MAX
#define CREDENTIAL_PAYLOAD_MAX (1u << 20)	/* munged's limit of a message, about; sealing more is refused */

struct credential_key {
	uint8_t cipher[20], mac[20];
};

struct credential {
	uint32_t origin;		/* IPv4, as in struct in_addr */
	uint32_t encoded_s, ttl_s;	/* seconds since the epoch; seconds */
	uint32_t uid, gid;		/* whose it is */
	uint32_t reader_uid, reader_gid;	/* who may open it, or CREDENTIAL_ANY */
	const uint8_t *payload;
	size_t payload_len;
	uint8_t mac[CREDENTIAL_MAC];	/* no two credentials have the same; set by opening it */
};

/* The subkeys of a key file's bytes. */
void credential_key_make(struct credential_key *key, const uint8_t *bytes, size_t len);

/* The credential's text; the caller frees it.  'random' is used once.  NULL: ENOMEM, or EMSGSIZE. */
char *credential_seal(const struct credential_key *key, const struct credential *c,
		      const uint8_t random[CREDENTIAL_RANDOM]);

/* Check the MAC and read.  c->payload lies in *memory, which the caller frees.  0, or -1 with errno: EINVAL (not a
 * credential of this kind), EBADMSG (not of this key, or changed), ENOMEM. */
int credential_open(const struct credential_key *key, const char *text, struct credential *c, uint8_t **memory);

#endif
