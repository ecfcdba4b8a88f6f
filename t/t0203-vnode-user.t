#!/bin/sh
# As root: the controller's tests once more as an ordinary user, who is then SlurmUser and SlurmdUser.
as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME"
if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP the other scripts have been run as an ordinary user"
elif ! $as_user test -x "$WT_BUILDDIR/harness/vnode/wt-vnoded" -a -r "$WT_SRCDIR/t/setup.sh"; then
	echo "1..0 # SKIP ordinary users cannot read the build folder"
else
	exec $as_user sh "$WT_SRCDIR/t/t0202-vnode-controller.t"
fi
