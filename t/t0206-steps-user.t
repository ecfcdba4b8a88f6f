#!/bin/sh
# As root: the tests of steps once more as an ordinary user, who is then SlurmUser and SlurmdUser.  Of copies, because
# such a user may not be allowed to look into the build folder.
if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP the other scripts have been run as an ordinary user"
	exit 0
fi
copy=$(mktemp -d "${TMPDIR:-/tmp}/wt-t.XXXXXX") || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$copy/build/harness/vnode" "$copy/t" &&
cp "$WT_BUILDDIR/harness/windtunnel" "$copy/build/harness/" &&
cp "$WT_BUILDDIR/harness/vnode/wt-vnoded" "$WT_BUILDDIR/harness/vnode/rpc_send" "$copy/build/harness/vnode/" &&
cp "$WT_SRCDIR/t/setup.sh" "$WT_SRCDIR/t/vnode.sh" "$WT_SRCDIR/t/t0204-steps.t" "$copy/t/" &&
chmod -R a+rX "$copy" && cd / || exit 1
setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME WT_SRCDIR="$copy" WT_BUILDDIR="$copy/build" \
	sh "$copy/t/t0204-steps.t"
