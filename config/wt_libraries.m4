dnl WT_NEED(NAME, DEBIAN-PACKAGE): remember what is missing; WT_LIBRARIES stops once with the whole list.
AC_DEFUN([WT_NEED], [wt_missing="$wt_missing
    $1 (Debian package: $2)"])

AC_DEFUN([WT_LIBRARIES], [
  wt_missing=
  PKG_CHECK_MODULES([JANSSON], [jansson >= 2.12], [], [WT_NEED([jansson], [libjansson-dev])])
  PKG_CHECK_MODULES([GSL], [gsl >= 2.5], [], [WT_NEED([GNU Scientific Library], [libgsl-dev])])
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.4], [], [WT_NEED([hwloc], [libhwloc-dev])])
  PKG_CHECK_MODULES([MUNGE], [munge >= 0.5.14], [], [WT_NEED([munge], [libmunge-dev])])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1.5], [], [WT_NEED([cmocka], [libcmocka-dev])])
  AC_CHECK_HEADER([ev.h],
    [AC_CHECK_LIB([ev], [ev_run], [EV_LIBS=-lev], [WT_NEED([libev], [libev-dev])])],
    [WT_NEED([libev], [libev-dev])])
  AC_SUBST([EV_LIBS])
  AC_PATH_PROG([PROVE], [prove])
  AS_IF([test -z "$PROVE"], [WT_NEED([prove], [perl])])
  AC_CHECK_FILE([/usr/share/sharness/sharness.sh], [], [WT_NEED([sharness], [sharness])])
  AS_IF([test -n "$wt_missing"],
    [AC_MSG_ERROR([missing, to be installed first:$wt_missing
  (./quickstart installs all of them)])])
])
