dnl WT_SLURM_TREE(SLURMCTLD): $with_slurm_src is a configured source tree of that slurmctld's release.
AC_DEFUN([WT_SLURM_TREE], [
  AC_MSG_CHECKING([for the headers of the installed Slurm])
  AS_IF([test -d "$with_slurm_src"], [],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([--with-slurm-src needs a folder; '$with_slurm_src' is none])])
  with_slurm_src=`cd "$with_slurm_src" && pwd`
  SLURM_SRC=$with_slurm_src
  SLURM_BUILD=$with_slurm_src
  AS_IF([test -f "$SLURM_SRC/build/config.h"], [SLURM_BUILD=$SLURM_SRC/build])
  AS_IF([test -f "$SLURM_BUILD/config.h" && test -f "$SLURM_SRC/src/common/slurm_protocol_defs.h"], [],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$SLURM_SRC is not a configured Slurm source tree (run its configure first)])])
  # VERSION is the same of 24.11.0-0rc1, 24.11.0 and 24.11.0-2.
  wt_src_version=`sed -n 's/^#define SLURM_VERSION_STRING "\(.*\)"/\1/p' "$SLURM_BUILD/config.h"`
  wt_bin_version=`"$1" -V | sed 's/^slurm\(-wlm\)* //'`
  AS_IF([test -n "$wt_bin_version"], [],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$1 does not tell its version: "$1 -V" fails (libraries of another release?)])])
  AS_IF([test "x$wt_src_version" = "x$wt_bin_version"], [],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$SLURM_SRC is Slurm $wt_src_version, but $1 is $wt_bin_version; they must be the same])])
  AC_MSG_RESULT([$SLURM_SRC ($wt_src_version)])
])

dnl WT_SLURM_LIBDIR: $wt_slurm_libdir is where PREFIX has libslurm.so.  A development link that was left of another release
dnl would only be seen when calls fail: its name has SLURM_API_MAJOR, "libslurm.so.42.0.0".
AC_DEFUN([WT_SLURM_LIBDIR], [
  wt_slurm_libdir=
  for d in "$with_slurm"/lib "$with_slurm"/lib64 "$with_slurm"/lib/*-linux-gnu*; do
    AS_IF([test -z "$wt_slurm_libdir" && test -e "$d/libslurm.so"], [wt_slurm_libdir=$d])
  done
  AS_IF([test -n "$wt_slurm_libdir"], [],
    [AC_MSG_ERROR([--with-slurm: there is no libslurm.so in lib or lib64 of '$with_slurm' (a package of its own?)])])
  AS_IF([test -f "$wt_slurm_libdir/slurm/libslurmfull.so"], [],
    [AC_MSG_ERROR([--with-slurm: there is no libslurmfull.so in '$wt_slurm_libdir/slurm' (is it the distribution's?)])])
])

dnl WT_SLURM_PUBLIC: headers and library for everybody are of the release of the source tree.
AC_DEFUN([WT_SLURM_PUBLIC], [
  # "#define SLURM_VERSION_NUMBER 0x180b05": of the public headers, which describe libslurm.
  AS_IF([test -f "$with_slurm/include/slurm/slurm_version.h"], [],
    [AC_MSG_ERROR([--with-slurm: there is no include/slurm/slurm_version.h in '$with_slurm'])])
  wt_public=`sed -n 's/^#define SLURM_VERSION_NUMBER 0x//p' "$with_slurm/include/slurm/slurm_version.h"`
  wt_private=`sed -n 's/^#define SLURM_VERSION_NUMBER 0x//p' "$SLURM_BUILD/config.h"`
  AS_IF([test "x$wt_public" = "x$wt_private"], [],
    [AC_MSG_ERROR([$with_slurm/include/slurm is of another release (0x$wt_public) than $SLURM_SRC (0x$wt_private)])])
  wt_api=`sed -n 's/^#define SLURM_API_MAJOR //p' "$SLURM_BUILD/config.h"`
  wt_library=`readlink -f "$wt_slurm_libdir/libslurm.so"`
  wt_library=`basename "$wt_library"`
  AS_CASE([$wt_library],
    [libslurm.so.$wt_api|libslurm.so.$wt_api.*|libslurm.so], [],
    [AC_MSG_ERROR([$wt_slurm_libdir/libslurm.so is $wt_library, of another release than $SLURM_SRC (libslurm.so.$wt_api)])])
  AS_IF([grep '^#define MULTIPLE_SLURMD 1' "$SLURM_BUILD/config.h" >/dev/null], [],
    [AC_MSG_WARN([this Slurm was built without --enable-multiple-slurmd: for several nodes of one machine, as all are
      here, it takes credentials for a replay (doc/releases.md)])])
])

dnl WT_SLURM_PREFIX: the options, and whether what --with-slurm names is a Slurm.  It needs no compiler, so what is wrong is
dnl said at once.
AC_DEFUN([WT_SLURM_PREFIX], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=PREFIX],
      [a Slurm that is installed in PREFIX, as config/slurm-build makes it (default: the distribution's)])],
    [AS_CASE([$with_slurm], [yes|no|''], [AC_MSG_ERROR([--with-slurm needs the folder where a Slurm is installed])])],
    [with_slurm=])
  AC_ARG_WITH([slurm-src],
    [AS_HELP_STRING([--with-slurm-src=DIR],
      [Slurm source tree of the installed version, with config.h made by its configure
       (default: PREFIX/src; fetched by config/slurm-source into BUILD/slurm-src for the distribution's Slurm)])],
    [AS_CASE([$with_slurm_src], [yes|no|''], [AC_MSG_ERROR([--with-slurm-src needs a folder])])],
    [with_slurm_src=])
  AS_IF([test -n "$with_slurm"],
    [AS_IF([test -d "$with_slurm"], [], [AC_MSG_ERROR([--with-slurm: '$with_slurm' is not a folder])])
     AS_IF([test -x "$with_slurm/sbin/slurmctld"], [],
       [AC_MSG_ERROR([--with-slurm: there is no sbin/slurmctld in '$with_slurm'])])
     with_slurm=`cd "$with_slurm" && pwd`
     AS_CASE([$with_slurm], [*[[!A-Za-z0-9_./+,:@%=-]]*],
       [AC_MSG_ERROR([--with-slurm: '$with_slurm' has a character in its name that Makefiles cannot handle (a space?)])])
     # Else the compiler would take the distribution's, which may be there as well.
     AS_IF([test -f "$with_slurm/include/slurm/slurm.h"], [],
       [AC_MSG_ERROR([--with-slurm: there is no include/slurm/slurm.h in '$with_slurm' (a package of its own?)])])
     WT_SLURM_LIBDIR
     AS_IF([test -z "$with_slurm_src" && test -f "$with_slurm/src/config.h"], [with_slurm_src=$with_slurm/src])
     AS_IF([test -z "$with_slurm_src"],
       [AC_MSG_ERROR([--with-slurm also needs --with-slurm-src: the configured source tree of that Slurm])])
     WT_SLURM_TREE([$with_slurm/sbin/slurmctld])
     WT_SLURM_PUBLIC])
])

dnl WT_SLURM: the public libslurm, the private libslurmfull, and a configured Slurm source tree of exactly the same
dnl version, whose headers describe libslurmfull.  Nothing is compiled from that tree.  The Slurm is the distribution's, or
dnl that of --with-slurm=PREFIX.
AC_DEFUN([WT_SLURM], [
  AC_REQUIRE([WT_SLURM_PREFIX])
  SLURM_CPPFLAGS=
  wt_slurm_path=$PATH:/usr/sbin:/sbin
  AS_IF([test -n "$with_slurm"],
    [SLURM_CPPFLAGS=-I$with_slurm/include
     LDFLAGS="-L$wt_slurm_libdir -Wl,-rpath,$wt_slurm_libdir $LDFLAGS"
     CPPFLAGS="$SLURM_CPPFLAGS $CPPFLAGS"
     wt_slurm_path=$with_slurm/bin:$with_slurm/sbin])
  AC_CHECK_HEADER([slurm/slurm.h], [], [WT_NEED([slurm/slurm.h], [libslurm-dev])])
  AC_CHECK_LIB([slurm], [slurm_submit_batch_job], [SLURM_LIBS=-lslurm], [WT_NEED([libslurm], [libslurm-dev])])
  AC_SUBST([SLURM_LIBS])
  AC_PATH_PROG([SLURMCTLD], [slurmctld], [], [$wt_slurm_path])
  AS_IF([test -z "$SLURMCTLD"], [WT_NEED([slurmctld], [slurmctld])])
  AC_PATH_PROG([SLURMD], [slurmd], [/usr/sbin/slurmd], [$wt_slurm_path])
  AC_PATH_PROG([MUNGED], [munged], [], [$PATH:/usr/sbin:/sbin])
  AS_IF([test -z "$MUNGED"], [WT_NEED([munged], [munge])])
  wt_multiarch=`$CC -print-multiarch 2>/dev/null`
  SLURM_PLUGIN_DIR=
  wt_slurm_libs="/usr/lib/$wt_multiarch/slurm-wlm /usr/lib64/slurm /usr/lib/slurm /usr/local/lib/slurm"
  AS_IF([test -n "$with_slurm"], [wt_slurm_libs=$wt_slurm_libdir/slurm])
  for d in $wt_slurm_libs; do
    AS_IF([test -z "$SLURM_PLUGIN_DIR" && test -f "$d/libslurmfull.so"], [SLURM_PLUGIN_DIR=$d])
  done
  AC_MSG_CHECKING([for libslurmfull.so])
  AC_MSG_RESULT([${SLURM_PLUGIN_DIR:-no}])
  AS_IF([test -z "$SLURM_PLUGIN_DIR"], [WT_NEED([libslurmfull.so], [slurm-wlm-basic-plugins])])
  AS_IF([test -z "$with_slurm_src"],
    [AC_PATH_PROG([DPKG_SOURCE], [dpkg-source])
     AS_IF([test -z "$DPKG_SOURCE"], [WT_NEED([dpkg-source, which unpacks the source of Slurm], [dpkg-dev])])])
  WT_NEED_STOP
  AC_SUBST([SLURM_PLUGIN_DIR])

  AS_IF([test -z "$with_slurm_src"],
    [AC_MSG_NOTICE([fetching the source of the installed Slurm])
     with_slurm_src=`"$srcdir/config/slurm-source" "\`pwd\`/slurm-src" 2>slurm-source.log` || {
       cat slurm-source.log >&2
       AC_MSG_ERROR([the source of Slurm could not be fetched (see above); give a tree with --with-slurm-src=DIR])
     }])
  AS_IF([test -z "$with_slurm"], [WT_SLURM_TREE([$SLURMCTLD])])
  SLURMFULL_CPPFLAGS="-I$SLURM_BUILD -I$SLURM_BUILD/slurm -I$SLURM_SRC -isystem $SLURM_SRC"
  SLURMFULL_LIBS="-L$SLURM_PLUGIN_DIR -lslurmfull -Wl,-rpath,$SLURM_PLUGIN_DIR"
  AC_SUBST([SLURM_SRC])
  # Plugins hang on places within slurmctld that differ among releases: compat/features.h has their names.
  wt_straggler=yes wt_bestfit=yes wt_topology_eval=yes wt_plugstack=no
  AS_CASE([$wt_bin_version],
    [22.05.*], [wt_plugstack=yes wt_topology_eval=no],
    [23.11.*], [wt_bestfit=no wt_topology_eval=no],
    [24.05.*|24.11.*|25.05.*|25.11.*|26.05.*], [],
    [wt_straggler=no wt_bestfit=no
     AC_MSG_NOTICE([Slurm $wt_bin_version: nodes and measurements only, no plugins: none are known to work with it])])
  AM_CONDITIONAL([BESTFIT], [test $wt_bestfit = yes])
  AM_CONDITIONAL([STRAGGLER], [test $wt_straggler = yes])
  AM_CONDITIONAL([TOPOLOGY_EVAL], [test $wt_topology_eval = yes])
  AM_CONDITIONAL([PLUGSTACK], [test $wt_plugstack = yes])
  # The kind of plugin that speculation is in slurmctld: its file, and the setting that names it.
  AS_IF([test $wt_plugstack = yes], [wt_kind=slurmctld wt_setting=SlurmctldPlugstack],
    [wt_kind=job_submit wt_setting=JobSubmitPlugins])
  AC_SUBST([STRAGGLER_PLUGIN], [${wt_kind}_straggler])
  AC_SUBST([STRAGGLER_SETTING], [$wt_setting])
  AC_SUBST([SLURM_PREFIX], [$with_slurm])
  SLURM_BINDIR=$with_slurm${with_slurm:+/bin}
  AC_SUBST([SCONTROL], [${SLURM_BINDIR}${SLURM_BINDIR:+/}scontrol])
  # With the distribution's, PATH usually has them first: sbin's neighbour.
  wt_slurm_clientdir=`dirname "$SLURMCTLD"`
  wt_slurm_clientdir=`dirname "$wt_slurm_clientdir"`/bin
  AC_DEFINE_UNQUOTED([SLURM_CLIENTDIR], ["$wt_slurm_clientdir"], [where the commands of that Slurm are])
  AC_DEFINE_UNQUOTED([SLURM_BINDIR], ["$SLURM_BINDIR"], [where the commands of a Slurm from --with-slurm are, else empty])
  AC_SUBST([SLURM_VERSION], [$wt_bin_version])
  AC_SUBST([SLURMFULL_CPPFLAGS])
  AC_SUBST([SLURMFULL_LIBS])
  AC_DEFINE_UNQUOTED([SLURM_PLUGIN_DIR], ["$SLURM_PLUGIN_DIR"], [where libslurmfull and Slurm's plugins are])
  AC_DEFINE_UNQUOTED([SLURMCTLD_PATH], ["$SLURMCTLD"], [slurmctld found at configure time])
  AC_DEFINE_UNQUOTED([SLURMD_PATH], ["$SLURMD"], [slurmd, or where it would be])
  AC_DEFINE_UNQUOTED([MUNGED_PATH], ["$MUNGED"], [munged found at configure time])
])
