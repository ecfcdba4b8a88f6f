# Sourced by scripts that run another one once more as an ordinary user, who is then SlurmUser and SlurmdUser.  Of copies,
# because such a user may not be allowed to look into the build folder.
#
# as_user_again SCRIPT PROGRAM...: with these programs of the build folder besides those that setup.sh wants.
as_user_again() {
	if [ "$(id -u)" -ne 0 ]; then
		echo "1..0 # SKIP the other scripts have been run as an ordinary user"
		exit 0
	fi
	copy=$(mktemp -d "${TMPDIR:-/tmp}/wt-t.XXXXXX") || exit 1
	trap 'rm -rf "$copy"' EXIT
	trap 'exit 130' INT TERM
	script=$1
	shift
	mkdir -p "$copy/t" "$copy/build" && cp "$WT_SRCDIR"/t/*.sh "$WT_SRCDIR/t/$script" "$copy/t/" && (cd "$WT_BUILDDIR" &&
		cp --parents -L "$@" cmd/windtunnel harness/vnode/wt-vnoded harness/clock/wt-clockd \
			harness/live/wt-served harness/clock/.libs/libwtclock.so \
			harness/credential/.libs/libwtmunge.so harness/fence/.libs/libwtfence.so \
			harness/fence/.libs/libwtaddress.so "$copy/build/") &&
		chmod -R a+rX "$copy" && cd / || exit 1
	setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME WT_SRCDIR="$copy" WT_BUILDDIR="$copy/build" sh \
		"$copy/t/$script"
}
