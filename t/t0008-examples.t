#!/bin/sh
test_description='the examples of the README and of the man pages do what they say, literally and in their order'
. "$WT_SRCDIR/t/setup.sh"

# What they name and do not make: a trace, here of 200 jobs on 240 processors.
trace() {
	echo "; MaxProcs: 240" && awk 'BEGIN { for (i = 1; i <= 200; i++)
		print i, (i == 1 ? 0 : 2160000 + 90 * i), 0, 60 + 4 * (i % 90), 1 + i % 60, -1, -1, 1 + i % 60, 7200, -1,
		1, 1, 1, 1, 1, 1, -1, -1 }'
}
# The lines that a reader would type: of a page's EXAMPLES between .nf or .EX and .fi or .EE; of the README between ```
# and ```, but for the parts that begin with ./quickstart (t0900 and CI) and for what programs print.
examples_man() {
	awk '/^\.SH/ { in_examples = /EXAMPLE/ } !in_examples { next } /^\.(nf|EX)$/ { on = 1; next } /^\.(fi|EE)$/ {
		on = 0 } on' "$1" |
	sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\(dq/"/g; s/\\e/\\/g; s/\\&//g'
}
examples_readme() {
	awk '/^```/ { on = !on; n = 0; next } on && !n++ { skip = /^(\.\/quickstart|light-esp)/ } on && !skip' "$1"
}
# And a site's configuration.
site_conf() {
	printf "%s\n" ClusterName=site SlurmctldHost=ctl.example.org SelectType=select/cons_tres \
		"NodeName=n[1-8] CPUs=4 RealMemory=1000 State=UNKNOWN" "PartitionName=p Nodes=ALL Default=YES"
}
# A clone's folder, as a shell without any of our settings sees it.
mkdir -p "$WT_TMP/clone/build" &&
make -s -C "$WT_BUILDDIR" install prefix="$WT_TMP/clone/build/install" >"$WT_TMP/install.log" 2>&1 ||
	cat "$WT_TMP/install.log"
types() {	# types FILE: its lines, typed into a shell that ends at the first that fails
	mkdir -p "$WT_TMP/clone/$1.d" && trace >"$WT_TMP/clone/$1.d/trace.swf" && cp "$WT_TMP/clone/$1.d/trace.swf" \
		"$WT_TMP/clone/$1.d/HPC2N-2002-2.2-cln.swf" &&
		site_conf >"$WT_TMP/clone/$1.d/slurm.conf" && { echo "set -e -o pipefail"; cat "$1"; } >typed &&
	(cd "$WT_TMP/clone${2-/$1.d}" &&
		env -i HOME="$WT_TMP" TMPDIR="${TMPDIR:-/tmp}" WINDTUNNEL_STATE="$WINDTUNNEL_STATE" \
		PATH="${3-$WT_TMP/clone/build/install/bin:}$PATH_PLAIN" bash <"$OLDPWD/typed") 2>said
	types_rc=$?; cat said >&2
	test $types_rc = 0 && ! grep "here-document.*delimited by end-of-file" said &&
	windtunnel cluster list 2>&1 >left && wt_empty left
}
PATH_PLAIN=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin

test_expect_success 'they are found' '
	for page in "$WT_SRCDIR"/doc/*.[1-8]; do
		examples_man "$page" >"${page##*/}"; test -s "${page##*/}" || rm "${page##*/}"
	done &&
	ls >pages && test_line_count -gt 10 pages && examples_readme "$WT_SRCDIR/README.md" >README &&
	test_line_count -gt 4 README
'
test_expect_success 'each page with a heading of examples has some that are run' '
	grep -l "^\.SH EXAMPLE" "$WT_SRCDIR"/doc/*.[1-8] | sed "s,.*/,," | sort >headed && sort pages | grep -vx pages |
		comm -23 headed - >out && wt_empty out
'
for page in $(cat pages 2>/dev/null | grep -vx pages); do
	test_expect_success "$page" "types $page"
done
test_expect_success 'README.md' 'types README "" ""'
test_done
