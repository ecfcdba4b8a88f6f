dnl WT_COMPILER: C11, warnings, hidden visibility.  --enable-werror turns warnings into errors (CI does).
AC_DEFUN([WT_COMPILER], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors (used by CI)])],
    [], [enable_werror=no])
  WT_CFLAGS="-std=gnu11 -Wall -Wextra -fvisibility=hidden"
  AS_IF([test "x$enable_werror" = xyes], [WT_CFLAGS="$WT_CFLAGS -Werror"])
  AC_SUBST([WT_CFLAGS])
  dnl Includes are relative to the root of the tree.
  AC_SUBST([WT_CPPFLAGS], ['-I$(top_builddir) -I$(top_srcdir)'])
])
