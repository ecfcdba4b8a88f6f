dnl WT_SANITIZERS: --enable-sanitizers=address,undefined builds everything with them (unit tests only: see CONTRIBUTING.md).
AC_DEFUN([WT_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST], [compile with -fsanitize=LIST, e.g. address,undefined])],
    [], [enable_sanitizers=no])
  AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
  AS_IF([test "x$enable_sanitizers" != xno],
    [WT_CFLAGS="$WT_CFLAGS -fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=all"
     LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizers"])
])
