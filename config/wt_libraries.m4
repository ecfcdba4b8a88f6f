dnl WT_NEED(NAME, DEBIAN-PACKAGE): remember what is missing; WT_NEED_STOP ends configure once with the whole list.
AC_DEFUN([WT_NEED], [
  wt_missing="$wt_missing
    $1 (Debian package: $2)"
  wt_packages="$wt_packages $2"
])

AC_DEFUN([WT_NEED_STOP], [
  AS_IF([test -n "$wt_missing"],
    [wt_packages=`echo $wt_packages | tr ' ' '\n' | sort -u | tr '\n' ' '`
     AC_MSG_ERROR([missing:$wt_missing
  ./quickstart installs them as root, or: apt-get install $wt_packages])])
])

dnl WT_LIBRARIES: libraries and tools other than Slurm's own.
AC_DEFUN([WT_LIBRARIES], [
  AS_IF([test -z "$PKG_CONFIG"], [WT_NEED([pkg-config], [pkg-config])])
  PKG_CHECK_MODULES([JANSSON], [jansson >= 2.12], [], [WT_NEED([jansson], [libjansson-dev])])
  PKG_CHECK_MODULES([GSL], [gsl >= 2.5], [], [WT_NEED([GNU Scientific Library], [libgsl-dev])])
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.4], [], [WT_NEED([hwloc], [libhwloc-dev])])
  PKG_CHECK_MODULES([MUNGE], [munge >= 0.5.14], [], [WT_NEED([libmunge], [libmunge-dev])])
  PKG_CHECK_MODULES([NETTLE], [nettle >= 3.4], [], [WT_NEED([libnettle], [nettle-dev])])
  PKG_CHECK_MODULES([EXPAT], [expat >= 2.2], [], [WT_NEED([expat], [libexpat1-dev])])
  PKG_CHECK_MODULES([ZLIB], [zlib >= 1.2.11], [], [WT_NEED([zlib], [zlib1g-dev])])
  PKG_CHECK_MODULES([MICROHTTPD], [libmicrohttpd >= 0.9.75], [], [WT_NEED([libmicrohttpd], [libmicrohttpd-dev])])
  PKG_CHECK_MODULES([YAML], [yaml-0.1 >= 0.2.2], [], [WT_NEED([libyaml], [libyaml-dev])])
  PKG_CHECK_MODULES([SQLITE], [sqlite3 >= 3.34], [], [WT_NEED([SQLite], [libsqlite3-dev])])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1.5], [], [WT_NEED([cmocka], [libcmocka-dev])])
  EV_LIBS=
  AC_CHECK_HEADER([ev.h],
    [AC_CHECK_LIB([ev], [ev_run], [EV_LIBS=-lev], [WT_NEED([libev], [libev-dev])])],
    [WT_NEED([libev], [libev-dev])])
  AC_SUBST([EV_LIBS])
  AC_PATH_PROG([PROVE], [prove])
  AS_IF([test -z "$PROVE"], [WT_NEED([prove], [perl])])
  AC_ARG_VAR([VALGRIND], [valgrind, for "make check-valgrind"])
  AC_PATH_PROG([VALGRIND], [valgrind], [valgrind])
  AC_MSG_CHECKING([for sharness])
  AS_IF([test -f /usr/share/sharness/sharness.sh], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     WT_NEED([sharness], [sharness])])
])
