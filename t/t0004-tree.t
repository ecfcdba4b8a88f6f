#!/bin/sh
test_description='the source tree: rules that a compiler does not check'
. "$WT_SRCDIR/t/setup.sh"

# The .c and .h files of the tree.
code() {
	(cd "$WT_SRCDIR" && find lib topology straggler workload esp record harness plugins cmd compat -name "*.[ch]" \
		2>/dev/null | sort)
}
# Its hosts are found, not written, here: that is what the rule is about.
apt-get indextargets --format '$(SITE)' 2>/dev/null | sed -n 's,^[a-z+]*://\([^/:]*\).*,\1,p' | sort -u >"$WT_TMP/hosts"
test ! -s "$WT_TMP/hosts" || test_set_prereq APT_HOSTS
command -v shellcheck >/dev/null && test_set_prereq SHELLCHECK

test_expect_success 'each .c file begins with its licence' '
	code | grep "\.c\$" | while read -r file; do
		head -n 1 "$WT_SRCDIR/$file" | grep -q "SPDX-License-Identifier: GPL-2.0-or-later" || echo "$file"
	done >lacking &&
	wt_empty lacking
'
test_expect_success 'the pure folders include nothing of Slurm, and no clock' '
	(cd "$WT_SRCDIR" &&
	 grep -nE "#include *[<\"]((src/|slurm/)|lib/clock\.h)" -r --include="*.[ch]" lib topology straggler/*.[ch] \
	 	workload esp record harness/report harness/vnode/model |
	 grep -v -e "^lib/clock\.c:" -e "^lib/test_clock\.c:") >out || : &&
	wt_empty out
'
test_expect_success 'time is read and waited for only in lib/clock.c, by the virtual clock, and by programs that measure' '
	calls="\<(clock_gettime|gettimeofday|nanosleep|clock_nanosleep|usleep|sleep|time) *\(" &&
	code | grep -v -e "^lib/clock\.c\$" -e "^harness/clock/" -e /bench_ >files &&
	(cd "$WT_SRCDIR" && xargs grep -lE "$calls" <"$OLDPWD/files" || :) | while read -r file; do
		gcc -fpreprocessed -dD -E -P "$WT_SRCDIR/$file" 2>/dev/null |	# without comments
		grep -E "$calls" | sed "s,^,$file: ,"
	done >out &&
	wt_empty out
'
# The one of slurmctld's save threads calls it: of two callers one may put an older snapshot over a newer one, or take the
# other for a second slurmctld.  Its name in comments is a warning.
test_expect_success 'nobody has slurmctld write its state but its own thread' '
	(cd "$WT_SRCDIR" && code | xargs grep -l dump_all_job_state || :) >files && cp files all &&
	mkdir -p planted/dump && echo "void f(void) { dump_all_job_state(); }" >planted/dump/a.c &&
	echo "$PWD/planted/dump/a.c" >>all &&
	while read -r file; do
		(cd "$WT_SRCDIR" && gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null) | grep -q dump_all_job_state &&
			echo "$file"
	done <all >out
	echo "$PWD/planted/dump/a.c" >want && test_cmp want out
'
test_expect_success APT_HOSTS "no package archive's host name stands in the tree" '
	(cd "$WT_SRCDIR" && grep -rnFI -f "$WT_TMP/hosts" --exclude-dir=.git --exclude-dir="build*" \
		--exclude-dir="autom4te.cache" --exclude-dir="slurm-src" .) >out || : &&
	wt_empty out
'
test_expect_success 'each script of t/ is executable and distributed' '
	for script in "$WT_SRCDIR"/t/*.t; do
		test -x "$script" || echo "$script: not executable"
		grep -qw "${script##*/}" "$WT_SRCDIR/t/Makefile.am" || echo "$script: not in EXTRA_DIST"
	done >out &&
	wt_empty out
'
test_expect_success 'debian/control has the packages that configure asks for; dpkg-dev is wherever packages are built' '
	(cd "$WT_SRCDIR" && sed -n "s/.*WT_NEED(\[[^]]*\], \[\([^]]*\)\]).*/\1/p" configure.ac config/*.m4) |
		grep -vx dpkg-dev | sort -u >asked &&
	test_line_count -gt 8 asked &&
	sed -n "/^Build-Depends:/,/^[A-Z][a-z]*-/p" "$WT_SRCDIR/debian/control" | sed "s/^ \([^ ,]*\).*/\1/" |
		sort -u >depends &&
	comm -23 asked depends >out && wt_empty out
'
# A folder's files are installed by install-exec if it is lib, bin, sbin or has "exec" in its name, else by install-data;
# make -j2 runs the two at the same time, so that a hook finds only what its own half installs.
test_expect_success 'each hook of an installation is about files of its own half' '
	(cd "$WT_SRCDIR" && find . \( -name "*build*" -o -name slurm-src \) -prune -o -name Makefile.am -print) >makefiles &&
	test_line_count -gt 8 makefiles &&
	(cd "$WT_SRCDIR" && xargs awk "
		/^[^\t]/ { half = /^install-(exec|data)-(hook|local):/ ? substr(\$1, 9, 4) : \"\" }
		/^\t/ && half {
			seen++
			is_exec = /\\((pkg)?(lib|bin|sbin)dir\\)|\\([a-z]*exec[a-z]*dir\\)/
			if (is_exec != (half == \"exec\"))
				print FILENAME \": in install-\" half \": \" \$0
		}
		END { if (seen < 4) print \"only \" seen + 0 \" lines of hooks were found\" }") <makefiles >out &&
	wt_empty out
'
# Make in one folder does not know the headers that the other has noted, and takes the object for new when one of them has
# changed.
test_expect_success 'no object is made by two folders' '
	(cd "$WT_BUILDDIR" && find . -name slurm-src -prune -o -name "build-*" -prune -o -name Makefile -print |
		while read -r makefile; do
		sed -n "s,^include \(.*\)/\$(DEPDIR)\(/.*\) # am--include-marker,${makefile%/*}/\1\2,p" "$makefile"
	done | xargs realpath -ms) >objects && test_line_count -gt 100 objects && sort objects | uniq -d >out && wt_empty out
'
# The four rules of the house.  Each is also shown a planted violation, which it has to find.
test_expect_success 'a folder includes only what t/tree/rooms.txt lets it, by paths from the root of the tree' '
	(cd "$WT_SRCDIR" && code | perl t/tree/arrows.pl t/tree/rooms.txt) >out && wt_empty out &&
	mkdir -p planted/lib planted/cmd planted/attic planted/esp && (cd planted &&
		echo "#include \"topology/tree.h\"" >lib/upward.c && echo "#include \"verbs.h\"" >cmd/bare.c &&
		echo " /* x */ #  include <topology/tree.h>" >lib/odd.c && echo "#include TREE" >lib/macro.c &&
		echo "#include \"lib/csv.c\"" >lib/text.c &&
		: >attic/new.c && : >esp/alone.c &&
		find lib cmd attic esp -name "*.c" | sort |
			perl "$WT_SRCDIR/t/tree/arrows.pl" "$WT_SRCDIR/t/tree/rooms.txt") >out &&
	test_line_count = 7 out && grep "lib/upward.c: lib may not include topology/tree.h" out && grep "not relative" out &&
	grep "lib/odd.c: lib may not" out && grep "lib/macro.c: an include by a macro" out &&
	grep "csv.c is no header" out &&
	grep "attic does not stand" out && grep "esp includes nothing of workload" out
'
test_expect_success 'CONTRIBUTING.md prints that table' '
	grep -v "^#" "$WT_SRCDIR/t/tree/rooms.txt" >rooms &&
	sed -n "/^<!-- rooms.txt -->/,/^<!-- end -->/p" "$WT_SRCDIR/CONTRIBUTING.md" |
		grep -v -e "^<!--" -e "^\`\`\`" >printed && test_cmp rooms printed
'
test_expect_success 'no object files of a folder need each other in a circle, but for those of t/tree/circles.txt' '
	perl "$WT_SRCDIR/t/tree/circles.pl" "$WT_SRCDIR" "$WT_BUILDDIR" \
		$(sed -n "s,^\([a-z]*\)[:/].*,\1,p" "$WT_SRCDIR/t/tree/rooms.txt" | sort -u) >all &&
	test "$(sed -n "s/^objects: //p" all)" -gt 400 &&
	grep -v -e "^  " -e "^objects:" all | sort >found && grep -v "^#" "$WT_SRCDIR/t/tree/circles.txt" | sort >known &&
	comm -3 known found >out && { test ! -s out || { cat all; false; }; } &&
	mkdir -p planted/lib && (cd planted/lib &&
		echo "int b(void); int a(void) { return b(); } int d(void) { return 0; }" >a.c &&
		echo "int a(void); int b(void) { return a(); }" >b.c &&
		echo "int d(void); int c(void) { return d(); }" >c.c && cc -O0 -c a.c b.c c.c && cp b.o gone.o) &&
	perl "$WT_SRCDIR/t/tree/circles.pl" "$PWD/planted" planted lib >out && grep "^lib: a.o b.o\$" out &&
	test $(grep -c "^lib" out) = 1 && grep -x "objects: 3" out
'
test_expect_success 'no object needs what its folder may not include, declared by hand' '
	perl "$WT_SRCDIR/t/tree/object-arrows.pl" "$WT_SRCDIR/t/tree/rooms.txt" "$WT_SRCDIR" "$WT_BUILDDIR" >out &&
	wt_empty out &&
	mkdir -p planted/objects/lib planted/objects/esp && (cd planted/objects &&
		echo "extern int order; int f(void) { return order; }" >lib/f.c && echo "int order; int f(void);" >esp/g.c &&
		echo "int f(void); int g(void) { return f(); }" >>esp/g.c &&
		cc -c lib/f.c -o lib/f.o && cc -c esp/g.c -o esp/g.o && printf "lib:\nesp: lib\n" >rooms) &&
	perl "$WT_SRCDIR/t/tree/object-arrows.pl" "$PWD/planted/objects/rooms" "$PWD/planted/objects" planted/objects >out &&
	echo "lib/f.o needs order of esp" >want && test_cmp want out
'
test_expect_success 'a struct tag, an enum constant, a header guard and the name of a file exist once' '
	(cd "$WT_SRCDIR" && code | perl t/tree/names.pl) >out && wt_empty out &&
	mkdir -p planted/names/x && (cd planted/names &&
		printf "#ifndef G\n#define G\nenum { ONE };\nstruct tree { int a; };\n#endif\n" >a.h && cp a.h x/a.h &&
		printf "char c = \047\"\047; struct quote { int a; };\n" >quote.c && cp quote.c again.c &&
		find . -name "*.[ch]" | sort |
		perl "$WT_SRCDIR/t/tree/names.pl") >out &&
	test_line_count = 5 out && grep "^struct tag quote:" out &&
	grep "^enum constant ONE:" out && grep "^file a.h:" out && grep "^header guard G:" out &&
	grep "^struct tag tree:" out
'
test_expect_success 'comments and pages cite no file and no function that is gone' '
	(cd "$WT_SRCDIR" && { code && ls *.md doc/*.md; } |
		xargs perl t/tree/cited-names.pl t/tree/foreign-names.txt) >out &&
	wt_empty out &&
	mkdir -p planted/cited && (cd planted/cited &&
		printf "/* see b.h, gone.c, old_name (), new_name (), theirs.c */\n" >a.c &&
		printf "char *s = \"kept.c /*\"; new_name (); old.name ();\n" >>a.c &&
		touch b.h && printf "theirs.c\nunused.c\t# why\n" >foreign && echo "lib/a.c and lib/lost.h" >page.md &&
		perl "$WT_SRCDIR/t/tree/cited-names.pl" foreign a.c b.h page.md) >out &&
	printf "%s\n" "a.c: gone.c" "page.md: lost.h" "a.c: old_name()" "nothing cites unused.c" >want && test_cmp want out
'
test_expect_success 'no line is longer than 125 columns, in scripts neither' '
	(cd "$WT_SRCDIR" && { code &&
		ls quickstart .ci/run Makefile.am */Makefile.am */*/Makefile.am bench/* config/wt_*.m4 \
		config/cppcheck* config/check-symbols config/embed config/fresh-root config/plant-faults \
		config/slurm-* config/try-packages config/*.bash-completion \
		packages/spack/*.py cmd/site/*.sh t/*.t t/*.py t/*.sh t/*/*.t t/*/*.sh t/*/*.pl t/*/run t/run-test; } |
		perl t/tree/long-lines.pl) >out &&
	wt_empty out &&
	mkdir -p planted && printf "%0126d\n\t%0118d\n\t%0117d\n" 0 0 0 >planted/line &&
	tail -n 1 planted/line >planted/other &&
	ls planted/line planted/other | perl "$WT_SRCDIR/t/tree/long-lines.pl" >out &&
	echo "planted/line: lines of more than 125 columns: 1 2" >want && test_cmp want out
'
test_expect_success 'no function has 40 lines between its braces, in tests neither' '
	(cd "$WT_SRCDIR" && code | perl t/tree/long-functions.pl) >out && wt_empty out &&
	mkdir -p planted && {
		printf "int short_one(void)\n{\n"; yes "	x();" | head -n 39; printf "}\n"
		printf "int long_one(void)\n{\n"; yes "	x();" | head -n 40; printf "}\n"
		printf "int hidden(void) {	/* so */\n"; yes "	x();" | head -n 40; printf "}\n"
	} >planted/functions.c && echo planted/functions.c | perl "$WT_SRCDIR/t/tree/long-functions.pl" >out &&
	printf "planted/functions.c:%s\n" "44: a function of 40 lines" \
		"86: a brace of a function stands alone, in the first column" >want && test_cmp want out
'
# What doc/measurements.md counts: an "else if" is no deeper than its "if"; words in comments and strings are none.
test_expect_success 'lengths and nesting of functions are counted' '
	mkdir -p planted && cat >planted/nested.c <<\END &&
int plain(void)
{
	return puts("if (x) while (y) {");	/* if (x) for (;;) */
}
int deep(void)
{
	if (a) {
		b = (struct s) { 1, 2 };
	} else if (c) {
		do {
			LIST_FOREACH(d, &e, f)
				switch (d) {
				case 1:
					g();
				}
		} while (h);
	}
}
END
	echo planted/nested.c | perl "$WT_SRCDIR/t/tree/function-figures.pl" >out && {
		echo "2 functions"
		echo "lines: median 1, 95th percentile 1, largest 11"
		echo "nesting: median 0, 95th percentile 0, largest 4"
	} >want && test_cmp want out
'
test_expect_success 'each file that the map, the glossary or CONTRIBUTING.md names is there' '
	(cd "$WT_SRCDIR" && perl t/tree/map-files.pl doc/internals.md doc/glossary.md CONTRIBUTING.md) >out &&
	wt_empty out &&
	(cd "$WT_SRCDIR" && printf "%s\n" "lib/error.h, lib/none.c" "lib/gone/" "[a](b.md)" "| x | lib/str.c, none.h |" \
		>"$WT_TMP/map.md" && perl t/tree/map-files.pl "$WT_TMP/map.md") >out && test_line_count = 4 out &&
	grep "lib/none.c" out && grep "lib/gone/" out && grep "b.md" out && grep "none.h" out
'
test_expect_success 'every folder stands on the map' '
	(cd "$WT_SRCDIR" && perl t/tree/map-folders.pl doc/internals.md) >out && wt_empty out &&
	mkdir -p planted/whole/lib/deep planted/whole/gone && touch planted/whole/lib/a.c planted/whole/gone/a.c \
		planted/whole/lib/deep/a.c &&
	echo "| x | lib/a.c; other/gone/ |" >planted/whole/map.md &&
	(cd planted/whole && perl "$WT_SRCDIR/t/tree/map-folders.pl" map.md) >out &&
	printf "%s/ is not named in map.md\n" gone lib/deep >want && test_cmp want out
'
test_expect_success 'releases.md counts the lines that the releases of Slurm cost as they are' '
	(cd "$WT_SRCDIR" && code | grep "^compat/" | perl t/tree/version-lines.pl compat/features.h \
		plugins/select_bestfit/Makefile.am plugins/straggler/Makefile.am) >out &&
	sed -n "/^<!-- version-lines -->/,/^<!-- end -->/p" "$WT_SRCDIR/doc/releases.md" | grep "^|" >told &&
	test_cmp out told
'
test_expect_success 'how they are counted' '
	mkdir -p planted/versions && cd planted/versions && cat >features.h <<-\END &&
	#if WT_SLURM_SINCE(23, 2)
	#define WT_HAVE_NEW 1
	#else
	#define WT_HAVE_OLD 1
	#endif
	#if WT_SLURM_SINCE(24, 11)
	#define WT_HAVE_LATER 1
	#endif
	END
	cat >a.c <<-\END &&
	always
	#ifdef WT_HAVE_NEW
	from 23.02
	#ifdef OTHER

	also
	#else
	also
	#endif
	#else
	before it
	#endif
	#ifndef WT_HAVE_LATER
	before 24.11
	#elif defined(WT_HAVE_OLD) && !defined(WT_HAVE_LATER)
	before 23.02
	#endif
	#if !defined(WT_HAVE_OLD)
	from 23.02
	#endif
	END
	cat >Makefile.am <<-\END &&
	many = b.c c.c \
		d.c d.h ../lib/e.c
	x_SOURCES = a.c
	if LATER
	x_SOURCES += later.c
	else
	x_SOURCES += $(many)
	endif
	END
	echo a.c | perl "$WT_SRCDIR/t/tree/version-lines.pl" features.h Makefile.am | sed 1,2d >out && cd ../.. &&
	cat >want <<-\END &&
	| 23.02 | 2 | 4 | 2 | 0 | 0 |
	| 24.11 | 1 | 0 | 1 | 1 | 3 |
	| all | 3 | 4 | 3 | 1 | 3 |
	END
	test_cmp want planted/versions/out &&
	! (cd planted/versions && echo a.c | perl "$WT_SRCDIR/t/tree/version-lines.pl" a.c) 2>err && grep "no features" err
'
test_expect_success SHELLCHECK 'shellcheck finds nothing' '
	cd "$WT_SRCDIR" && shellcheck -x quickstart config/slurm-build config/slurm-source config/try-packages \
		 config/fresh-root bench/nodes bench/conformance-esp \
		bench/placement bench/select \
		bench/clock-validate bench/soak bench/node-failures bench/calibrate-delays bench/kill-commit \
		bench/speculate .ci/run \
		bench/backfill bench/plans bench/clock bench/montecarlo bench/montecarlo-bag bench/daily-load \
		bench/power-account bench/weekly-restart \
		bench/power-conformance bench/predict-boots bench/own-conf bench/plots config/embed \
		cmd/site/site_capture.sh t/conformance/task.sh t/slurm-testsuite/run t/versions/run t/versions/headers &&
	shellcheck -x -P SCRIPTDIR -e SC1007,SC2015,SC2034,SC2086,SC2317,SC3045 bench/commits bench/flood bench/heartbeats \
		bench/hosts bench/site-confs bench/site-proof bench/slow-nodes bench/takeover &&
	shellcheck -s sh -e SC1091,SC2016,SC2154 t/setup.sh
'
test_done
