# Sourced by the tests that open pages.  browse CHECK FILE [WORD...]: t/gantt.py with Debian's chromium, without a network
# where it may be taken away: a page that asks for anything would have to ask there; elsewhere the page's own log of requests
# has to do.  The prerequisite BROWSER is there when chromium starts; else $browser_lacks tells why not: a container may
# forbid what it needs, and that is no fault of a page.
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
if unshare -n true 2>/dev/null; then
	browse() { unshare -n python3 "$WT_SRCDIR/t/gantt.py" "$@"; }
elif unshare -rn true 2>/dev/null; then
	browse() { unshare -rn python3 "$WT_SRCDIR/t/gantt.py" "$@"; }
else
	browse() { python3 "$WT_SRCDIR/t/gantt.py" "$@"; }
fi
browser_lacks=
for tool in chromium python3; do
	command -v "$tool" >/dev/null || browser_lacks="$tool is missing (Debian package $tool)"
done
if test -z "$browser_lacks"; then
	echo "<title>started</title>" >"$WT_TMP/empty.html"
	if browse start "$WT_TMP/empty.html" >"$WT_TMP/start.out" 2>&1; then
		test_set_prereq BROWSER
	else
		browser_lacks="chromium does not start here: $(tail -n 1 "$WT_TMP/start.out")"
	fi
fi
