/* keyring.h - the keys that lie beside munged's sockets. */
#ifndef WT_HARNESS_CREDENTIAL_KEYRING_H
#define WT_HARNESS_CREDENTIAL_KEYRING_H

#include "harness/credential/munge_credential.h"

/* The key of the munged that listens at 'socket' (DIR/socket, as in a cluster's folder): DIR/key, if the socket is there (an
 * outage of munged is one), and the file belongs to this process' effective user and nobody else may read it.  It is
 * read once.  NULL: munged must be asked.  Lives as long as the process; for any thread.  errno is preserved. */
const struct credential_key *keyring_find(const char *socket);

#endif
