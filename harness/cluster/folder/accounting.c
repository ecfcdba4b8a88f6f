/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/folder/accounting.h"
#include "lib/fs.h"
#include "lib/other_program.h"
#include "lib/str.h"

/* Where distributions put what no user calls. */
#define PROGRAM_FOLDERS "/usr/sbin:/usr/libexec:/usr/bin:/usr/local/sbin:/usr/local/bin"

/* A small database that is thrown away with the cluster: no memory or disk for what it will never be asked. */
#define INNODB_FILES "--innodb-log-file-size=8M", "--innodb-data-file-path=ibdata1:4M:autoextend", \
	"--innodb-autoextend-increment=1", "--innodb-use-native-aio=0"	/* waits of io_uring are hidden from the clock */

static char *program_find(const char *name)
{
	char *path = wt_program_in(getenv("PATH"), name);

	return path ? path : wt_program_in(PROGRAM_FOLDERS, name);
}

/* It lies beside slurmctld: of the same release. */
static char *slurmdbd_path(void)
{
	return wt_str_format("%.*s/slurmdbd", (int) (strrchr(SLURMCTLD_PATH, '/') - SLURMCTLD_PATH), SLURMCTLD_PATH);
}

static int socket_path_check(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	size_t max = sizeof(((struct sockaddr_un *) 0)->sun_path) - sizeof("/" WT_ACCOUNTING_SOCKET);

	if (strlen(info->dir) <= max)
		return 0;
	return wt_error_set(errp, EINVAL, "--accounting: %s: %zu characters are too many for the database's socket in it, "
			    "at most %zu: choose a shorter WINDTUNNEL_STATE or name", info->dir, strlen(info->dir), max);
}

int wt_accounting_check(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	static const char *const names[] = { "mariadbd", "mariadb-install-db", "my_print_defaults", "sacctmgr" };
	char *slurmdbd = slurmdbd_path(), *plugin = wt_str_format("%s/accounting_storage_mysql.so", SLURM_PLUGIN_DIR);
	int rc = slurmdbd && plugin ? 0 : wt_error_errno(errp, ENOMEM, "--accounting");

	if (rc == 0 && (access(slurmdbd, X_OK) < 0 || access(plugin, R_OK) < 0))
		rc = wt_error_set(errp, ENOENT, "--accounting needs %s (" WT_ACCOUNTING_PACKAGES ")",
				  access(slurmdbd, X_OK) < 0 ? slurmdbd : plugin);
	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = program_find(names[i]);

		if (!path)
			rc = wt_error_set(errp, ENOENT, "--accounting needs %s (" WT_ACCOUNTING_PACKAGES ")", names[i]);
		free(path);
	}
	free(slurmdbd);
	free(plugin);
	return rc < 0 ? -1 : socket_path_check(info, errp);
}

/* 'text' is freed. */
static int text_write(const struct wt_clusterinfo *info, const char *name, char *text, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, name);
	int rc = path && text ? wt_fs_write(path, text, strlen(text), 0600, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	free(text);
	return rc;
}

static char *slurmdbd_conf(const struct wt_clusterinfo *info, const struct wt_accounting *a, const char *password)
{
	return wt_str_format("AuthType=auth/munge\nAuthInfo=socket=%s/munge/socket\nDbdHost=%s\nDbdAddr=%s\nDbdPort=%u\n%s"
			     "SlurmUser=%s\nStorageType=accounting_storage/mysql\nStorageHost=localhost\n"
			     "StorageUser=windtunnel\nStoragePass=%s\nStorageLoc=slurm_acct_db\n"
			     "LogFile=%s/accounting/slurmdbd.log\n"
			     "PidFile=%s/accounting/slurmdbd.pid\nDebugLevel=info\nDebugLevelSyslog=quiet\nTrackWCKey=%s\n",
			     info->dir, a->host, info->controller_addr, info->slurmdbd_port,
			     a->bind ? "CommunicationParameters=NoInAddrAny\n" : "", a->user, password, info->dir, info->dir,
			     a->wckeys ? "yes" : "no");
}

/* The database is made here, not by slurmdbd: after a connection that finds none, MariaDB's library 11.8.9 (Debian 13) takes
 * no answer with a column on the next one, "maximum allowed number of columns (=0)". */
int wt_accounting_prepare(const struct wt_clusterinfo *info, const struct wt_accounting *a, struct wt_error *errp)
{
	char *dir = wt_clusterinfo_path(info, "accounting"), password[37], name[64];
	int rc = dir ? wt_fs_make_dir(dir, 0700, errp) : wt_error_errno(errp, ENOMEM, "accounting");

	free(dir);
	if (rc < 0 || wt_clusterinfo_uuid(password, errp) < 0 ||
	    text_write(info, "slurmdbd.conf", slurmdbd_conf(info, a, password), errp) < 0 ||
	    text_write(info, "accounting/init.sql",
		       wt_str_format("CREATE DATABASE IF NOT EXISTS slurm_acct_db;\n"
				     "CREATE USER IF NOT EXISTS windtunnel@localhost IDENTIFIED BY '%s';\n"
				     "GRANT ALL ON slurm_acct_db.* TO windtunnel@localhost;\n", password), errp) < 0 ||
	    text_write(info, "accounting/commands", wt_str_format("add cluster %s\n%s", info->name, a->commands), errp) < 0)
		return -1;
	if (a->usage && text_write(info, WT_ACCOUNTING_USAGE, strdup(a->usage), errp) < 0)
		return -1;
	for (size_t i = 0; i < a->dump_count; i++) {
		snprintf(name, sizeof(name), "accounting/dump-%zu", i);
		if (text_write(info, name, strdup(a->dumps[i]), errp) < 0)
			return -1;
	}
	return 0;
}

/* A list of the words, which it takes over; NULL if one of them is.  'words' end at 'count'. */
static char **argv_take(char **words, size_t count)
{
	char **argv = calloc(count + 1, sizeof(*argv));
	bool complete = argv != NULL;

	for (size_t i = 0; i < count; i++)
		complete = complete && words[i];
	for (size_t i = 0; i < count; i++) {
		if (complete)
			argv[i] = words[i];
		else
			free(words[i]);
	}
	if (complete)
		return argv;
	free(argv);
	return NULL;
}

static char *user_word(const char *option)
{
	const struct passwd *pw = getpwuid(geteuid());

	return pw ? wt_str_format("%s=%s", option, pw->pw_name) : NULL;
}

#define ARGV(...) argv_take((char *[]) { __VA_ARGS__ }, sizeof((char *[]) { __VA_ARGS__ }) / sizeof(char *))

char **wt_mariadb_make_argv(const struct wt_clusterinfo *info)
{
	static const char *const files[] = { INNODB_FILES };

	return ARGV(program_find("mariadb-install-db"), strdup("--no-defaults"),
		    wt_str_format("--datadir=%s/accounting/db", info->dir),
		    wt_str_format("--tmpdir=%s/accounting", info->dir), strdup("--skip-test-db"),
		    strdup("--skip-name-resolve"), strdup("--auth-root-authentication-method=socket"),
		    user_word("--auth-root-socket-user"), user_word("--user"), strdup(files[0]), strdup(files[1]),
		    strdup(files[2]), strdup(files[3]));
}

/* Each transaction reaches the system's memory, and so survives a crash of any process; the disk has them a second later. */
char **wt_mariadb_argv(const struct wt_clusterinfo *info)
{
	static const char *const files[] = { INNODB_FILES };

	return ARGV(program_find("mariadbd"), strdup("--no-defaults"),
		    wt_str_format("--datadir=%s/accounting/db", info->dir),
		    wt_str_format("--tmpdir=%s/accounting", info->dir),
		    wt_str_format("--socket=%s/" WT_ACCOUNTING_SOCKET, info->dir),
		    wt_str_format("--pid-file=%s/accounting/db.pid", info->dir),
		    wt_str_format("--init-file=%s/accounting/init.sql", info->dir), user_word("--user"),
		    strdup("--skip-networking"), strdup("--skip-name-resolve"), strdup("--skip-log-bin"),
		    strdup("--performance-schema=0"),
		    strdup("--innodb-flush-log-at-trx-commit=2"), strdup("--innodb-lock-wait-timeout=900"),
		    strdup("--innodb-buffer-pool-size=64M"), strdup(files[0]), strdup(files[1]), strdup(files[2]),
		    strdup(files[3]));
}

char **wt_slurmdbd_argv(void)
{
	return ARGV(slurmdbd_path(), strdup("-D"));
}

/* A user's own settings of readline, which reads the commands, are not for these. */
char **wt_sacctmgr_argv(const struct wt_clusterinfo *info)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	return ARGV(strdup("/bin/sh"), strdup("-c"),
		    strdup("cd \"$1\" && \"$2\" cluster resources ../slurm.conf; INPUTRC=/dev/null LC_ALL=C.UTF-8 TERM=dumb "
			   "COLUMNS=4096 exec sacctmgr -i <commands"),
		    strdup("sh"),
		    wt_clusterinfo_path(info, "accounting"), strdup(self));
}

char **wt_associations_argv(const struct wt_clusterinfo *info)
{
	return ARGV(strdup("/bin/sh"), strdup("-c"),
		    strdup("exec sacctmgr -nP show associations format=ID,Account,User,Partition >\"$1\""), strdup("sh"),
		    wt_clusterinfo_path(info, WT_ACCOUNTING_ASSOCIATIONS));
}

int wt_accounting_environment(const struct wt_clusterinfo *info)
{
	char *path = wt_clusterinfo_path(info, WT_ACCOUNTING_SOCKET);
	int rc = path ? setenv("MYSQL_UNIX_PORT", path, 1) : -1;

	free(path);
	return rc;
}

static bool answers(const struct sockaddr *address, socklen_t len)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && connect(fd, address, len) == 0;

	if (fd >= 0)
		close(fd);
	return yes;
}

bool wt_mariadb_listens(const struct wt_clusterinfo *info)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" WT_ACCOUNTING_SOCKET, info->dir);
	return answers((struct sockaddr *) &address, sizeof(address));
}

bool wt_slurmdbd_listens(const struct wt_clusterinfo *info)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(info->slurmdbd_port) };

	inet_pton(AF_INET, info->controller_addr, &address.sin_addr);
	return answers((struct sockaddr *) &address, sizeof(address));
}
