#!/bin/sh
test_description='man pages: well-formed, and complete against --help'
. "$WT_SRCDIR/t/setup.sh"

command -v mandoc >/dev/null && test_set_prereq MANDOC

# The words of a list like "  cluster    start, ..." in a --help text on standard input.
words() { sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'; }
long_options() { grep -oE -- '--[a-z][a-z-]+' | grep -vxE -- '--(help|usage|version)' | sort -u; }

test_expect_success MANDOC 'mandoc has no warning' '
	ls "$WT_SRCDIR"/doc/*.[1-8] >files && test_line_count -gt 0 files &&
	xargs mandoc -Tlint -Wwarning <files | grep -v "empty block: UR" >warnings || :	# a link without a text is fine
	wt_empty warnings
'
test_expect_success 'windtunnel(1) names each verb' '
	windtunnel --help | words >verbs && test_line_count -gt 1 verbs &&
	while read -r verb; do
		grep -q "^\.B[IR]* *\"*$verb" "$WT_SRCDIR/doc/windtunnel.1" || echo "$verb is not in windtunnel.1"
	done <verbs >out &&
	wt_empty out
'
test_expect_success 'no page has a heading of options or verbs twice' '
	for page in "$WT_SRCDIR"/doc/*.[1-8]; do
		sed -n "/^\.S[HS]/h;/^\.TP/{n;G;s/\n/ in /p}" "$page" | sort | uniq -d | sed "s|^|${page##*/}: |"
	done >out && wt_empty out
'
for verb in $(windtunnel --help | words); do
	case $verb in
	esp) pages="esp cluster" ;;	# esp leaves the options of "cluster up" to that page
	run) pages="run esp cluster" ;;	# and what is as with esp to that
	*) pages=$verb ;;
	esac
	test_expect_success "windtunnel-$verb(1) has each option of windtunnel $verb" '
		rm -f nopage && for page in $pages; do
			cat "$WT_SRCDIR/doc/windtunnel-$page.1" || echo "no page $page" >>nopage
		done | sed "s/\\\\-/-/g; s/\\\\f[BIRP]//g" | long_options >in-page &&
		test ! -e nopage &&
		windtunnel $verb --help=all >help && parts=$(words <help) &&
		for part in ${parts:-""}; do
			windtunnel $verb $part --help=all
		done | long_options >in-help &&
		test_line_count -gt 0 in-help &&
		comm -23 in-help in-page >out && wt_empty out
	'
done
test_done
