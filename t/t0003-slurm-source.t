#!/bin/sh
test_description="slurm-source: deb-src lists derived from the machine's own apt sources"
. "$WT_SRCDIR/t/setup.sh"

test_expect_success 'set up apt sources of every kind' '
	etc="$WT_TMP/etc" && mkdir -p "$etc/sources.list.d" "$WT_TMP/bin" &&
	printf "Dir::Etc::SourceList \"%s/sources.list\";\nDir::Etc::SourceParts \"%s/sources.list.d\";\n" "$etc" "$etc" \
		>"$WT_TMP/apt.conf" &&
	cat >"$etc/sources.list" <<-EOT &&
	# deb http://mirror.invalid/commented bookworm main
	deb cdrom:[Debian 12]/ bookworm main
	deb [arch=amd64 signed-by=/k.gpg] http://mirror.invalid/debian/ bookworm main contrib # a comment
	deb-src http://mirror.invalid/debian bookworm main
	deb http://other.invalid/x stable main
	EOT
	cat >"$etc/sources.list.d/two.sources" <<-EOT &&
	# first
	Types: deb deb-src
	URIs: http://other.invalid/y
	Suites: stable
	Components: main

	types: deb
	# a comment inside
	URIs: http://third.invalid/z
	  http://mirror.invalid/security/
	Suites: bookworm-security
	 bookworm-updates
	Components: main
	Enabled: yes
	Signed-By:
	 -----BEGIN PGP PUBLIC KEY BLOCK-----
	 .
	 abc
	 -----END PGP PUBLIC KEY BLOCK-----
	EOT
	cat >"$WT_TMP/bin/apt-cache" <<-\EOT &&
	#!/bin/sh
	cat "$POLICY"
	EOT
	chmod +x "$WT_TMP/bin/apt-cache" &&
	cat >"$WT_TMP/policy" <<-EOT &&
	slurmctld:
	  Installed: 22.05.8-4
	  Version table:
	 *** 22.05.8-4 500
	        500 http://mirror.invalid/debian bookworm/main amd64 Packages
	        -1 http://mirror.invalid/security bookworm-security/main amd64 Packages
	        100 /var/lib/dpkg/status
	EOT
	: >"$WT_TMP/policy.empty"
'
# lists POLICY-FILE DIR
lists() {
	mkdir -p "$2" &&
	POLICY="$1" APT_CONFIG="$WT_TMP/apt.conf" PATH="$WT_TMP/bin:$PATH" "$WT_SRCDIR/config/slurm-source" --list "$2"
}
test_expect_success 'one-line: options stay, comments, cdroms and deb-src lines go, sources without slurmctld go' '
	lists "$WT_TMP/policy" "$WT_TMP/out" &&
	echo "deb-src [arch=amd64 signed-by=/k.gpg] http://mirror.invalid/debian/ bookworm main contrib " >expected &&
	test_cmp expected "$WT_TMP/out/one-line.list"
'
test_expect_success 'deb822: the stanza that offers slurmctld, with its fields that go on, as deb-src only' '
	cat >expected <<-EOT &&
	Types: deb-src
	URIs: http://third.invalid/z
	  http://mirror.invalid/security/
	Suites: bookworm-security
	 bookworm-updates
	Components: main
	Enabled: yes
	Signed-By:
	 -----BEGIN PGP PUBLIC KEY BLOCK-----
	 .
	 abc
	 -----END PGP PUBLIC KEY BLOCK-----

	EOT
	test_cmp expected "$WT_TMP/out/deb822-1.sources"
'
test_expect_success 'apt reads what was derived' '
	mkdir -p "$WT_TMP/lists/partial" &&
	apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$WT_TMP/out" \
		-o Dir::State::Lists="$WT_TMP/lists" update --print-uris >out &&
	grep -q "mirror.invalid/debian/dists/bookworm/contrib/source/Sources" out &&
	grep -q "mirror.invalid/security/dists/bookworm-updates/main/source/Sources" out &&
	! grep -q "other.invalid" out && ! grep -q "binary-" out
'
test_expect_success 'without indexes every source is taken' '
	lists "$WT_TMP/policy.empty" "$WT_TMP/all" &&
	grep -q "deb-src http://other.invalid/x stable main" "$WT_TMP/all/one-line.list" &&
	grep -q "^URIs: http://other.invalid/y" "$WT_TMP/all/deb822-1.sources" &&
	test "$(grep -c "^Types: deb-src" "$WT_TMP/all/deb822-1.sources")" = 2
'
test_expect_success 'no source at all is one clear line' '
	rm -r "$WT_TMP"/etc/sources.list "$WT_TMP"/etc/sources.list.d &&
	mkdir "$WT_TMP/etc/sources.list.d" &&
	test_expect_code 1 lists "$WT_TMP/policy" "$WT_TMP/none" 2>err &&
	test_line_count = 1 err && grep -q "no source that offers slurmctld.*--with-slurm-src" err
'
test_expect_success 'without Slurm installed it says what to do' '
	printf "#!/bin/sh\nexit 1\n" >"$WT_TMP/bin/dpkg-query" && chmod +x "$WT_TMP/bin/dpkg-query" &&
	(PATH="$WT_TMP/bin:$PATH" && export PATH &&
	 test_expect_code 1 "$WT_SRCDIR/config/slurm-source" "$WT_TMP/src") 2>err &&
	grep -q "slurmctld is not installed.*--with-slurm-src" err
'
test_expect_success 'nonsense is refused' '
	test_expect_code 1 "$WT_SRCDIR/config/slurm-source" --nonsense 2>err && grep -q usage err &&
	test_expect_code 1 "$WT_SRCDIR/config/slurm-source" 2>err && grep -q usage err
'
# An archive whose index names source packages: the .dsc of none is there, the tar file of 9.9.9-1 neither.
archive="$WT_TMP/archive"
revision() {	# revision VERSION TAR-FILE: an entry of the index, for a tar file that may be missing
	hash=$(sha256sum <"$archive/pool/slurm-wlm_9.9.9.orig.tar.gz" | cut -d" " -f1) &&
	size=$(stat -c %s "$archive/pool/slurm-wlm_9.9.9.orig.tar.gz") &&
	printf "Package: slurm-wlm\nBinary: slurmctld\nVersion: %s\nArchitecture: any\nFormat: 3.0 (quilt)\n" "$1" &&
	printf "Directory: %s\nChecksums-Sha256:\n" "$2" &&
	printf " %s %s slurm-wlm_9.9.9.orig.tar.gz\n %s 9 slurm-wlm_%s.dsc\n\n" "$hash" "$size" "$hash" "$1"
}
test_expect_success 'set up an archive that lacks parts' '
	mkdir -p "$archive/pool" "$archive/dists/bookworm/main/source" slurm-slurm-9-9-9-1 &&
	printf "  Name:\tslurm\n  Version:\t9.9.9\n" >slurm-slurm-9-9-9-1/META &&
	printf "#!/bin/sh\necho configured >config.h\n" >slurm-slurm-9-9-9-1/configure &&
	chmod 755 slurm-slurm-9-9-9-1/configure &&
	tar czf "$archive/pool/slurm-wlm_9.9.9.orig.tar.gz" slurm-slurm-9-9-9-1 &&
	{ revision 9.9.9-1 gone && revision 9.9.9-4+x1 pool && revision 9.9.9-10 gone; } >sources &&
	cp sources "$archive/dists/bookworm/main/source/Sources" &&
	(cd "$archive/dists/bookworm" &&
		printf "Suite: bookworm\nCodename: bookworm\nComponents: main\nSHA256:\n" >Release &&
		printf " %s %s main/source/Sources\n" "$(sha256sum <main/source/Sources | cut -d" " -f1)" \
			"$(stat -c %s main/source/Sources)" >>Release) &&
	mkdir -p "$WT_TMP/etc/sources.list.d" "$WT_TMP/stubs" &&
	echo "deb [trusted=yes] file:$archive bookworm main" >"$WT_TMP/etc/sources.list" &&
	echo "Acquire::AllowInsecureRepositories \"true\"; APT::Get::AllowUnauthenticated \"true\";" >>"$WT_TMP/apt.conf" &&
	cat >"$WT_TMP/stubs/dpkg-query" <<-\EOT &&
	#!/bin/sh
	printf 9.9.9-1
	EOT
	cat >"$WT_TMP/stubs/dpkg" <<-\EOT &&
	#!/bin/sh
	echo /usr/lib/any/slurm-wlm/libslurmfull.so
	EOT
	cat >"$WT_TMP/stubs/apt-cache" <<-\EOT &&
	#!/bin/sh
	[ "$1" = policy ] || exec /usr/bin/apt-cache "$@"
	printf "x:\n  Version table:\n     9 500\n        500 file:%s bookworm/main amd64 Packages\n" "$ARCHIVE"
	EOT
	chmod 755 "$WT_TMP"/stubs/*
'
# lacking COMMAND...: with that archive, on a machine that has 9.9.9-1
lacking() { ARCHIVE="$archive" APT_CONFIG="$WT_TMP/apt.conf" PATH="$WT_TMP/stubs:$PATH" "$@"; }
test_expect_success 'a source package without its .dsc: the release that it was made of' '
	lacking "$WT_SRCDIR/config/slurm-source" "$WT_TMP/fetched" >out && test "$(cat out)" = "$WT_TMP/fetched" &&
	grep "Version:.*9.9.9" "$WT_TMP/fetched/META" && grep configured "$WT_TMP/fetched/build/config.h" &&
	test "$(cat "$WT_TMP/fetched/.windtunnel-version")" = 9.9.9-1 && test ! -e "$WT_TMP/fetched.tmp"
'
test_expect_success 'slurm-build lists it once, and takes the revision that is there' '
	lacking "$WT_SRCDIR/config/slurm-build" --list >out && echo 9.9.9 >want && test_cmp want out &&
	test_expect_code 1 lacking "$WT_SRCDIR/config/slurm-build" 9.9.9 "$WT_TMP/prefix" 2>err &&
	grep "slurm-build: configuring" err && test ! -e "$WT_TMP/prefix"
'
test_expect_success 'slurm-build --headers: the configured headers alone, and they are no Slurm' '
	cp -r slurm-slurm-9-9-9-1 whole && mkdir -p whole/slurm whole/src/common whole/testsuite &&
	touch whole/slurm/slurm.h whole/src/common/a.h whole/src/common/a.c whole/testsuite/b.h whole/COPYING &&
	printf "#!/bin/sh\nmv config.new config.h\n" >whole/configure && echo made >whole/config.new &&
	tar czf whole.tar.gz whole &&
	build() { "$WT_SRCDIR/config/slurm-build" --headers --tarball whole.tar.gz "$@"; } &&
	(XDG_DATA_HOME=$WT_TMP/data && export XDG_DATA_HOME && build 9.9.9 && build 9.9.9) >out &&
	printf "%s\n" "$WT_TMP/data/windtunnel/slurm-headers/9.9.9" "$WT_TMP/data/windtunnel/slurm-headers/9.9.9" >want &&
	test_cmp want out && cd "$WT_TMP/data/windtunnel/slurm-headers/9.9.9" && grep made src/config.h &&
	test -e src/slurm/slurm.h && test -e include/slurm/slurm.h && test -e src/src/common/a.h &&
	test ! -e src/src/common/a.c &&
	test ! -e src/testsuite && test -e .windtunnel-slurm-headers && test ! -e .windtunnel-slurm && cd - &&
	mkdir "$WT_TMP/taken" && touch "$WT_TMP/taken/mine" &&
	test_expect_code 1 build 9.9.9 "$WT_TMP/taken" 2>err && grep "was not made by" err &&
	test_expect_code 1 build 9.9.9 "a b" 2>err && grep "a folder whose name" err &&
	test_expect_code 1 build 9.9.8 "$WT_TMP/other" 2>err && grep "has Slurm 9.9.9, not 9.9.8" err &&
	test ! -e "$WT_TMP/other"
'
test_expect_success 'a tar file that is another than its index says is not taken' '
	cp "$archive/pool/slurm-wlm_9.9.9.orig.tar.gz" kept &&
	printf x | dd of="$archive/pool/slurm-wlm_9.9.9.orig.tar.gz" bs=1 seek=9 conv=notrunc 2>/dev/null &&
	test_expect_code 1 lacking "$WT_SRCDIR/config/slurm-source" "$WT_TMP/forged" 2>err &&
	grep "no source package slurm-wlm 9.9.9-1 could be fetched" err && test ! -e "$WT_TMP/forged"
'
test_expect_success 'listed, and not there: both say so' '
	rm "$archive/pool/slurm-wlm_9.9.9.orig.tar.gz" &&
	test_expect_code 1 lacking "$WT_SRCDIR/config/slurm-source" "$WT_TMP/none" 2>err &&
	grep "no source package slurm-wlm 9.9.9-1.*--with-slurm-src" err && test ! -e "$WT_TMP/none" &&
	test_expect_code 3 lacking "$WT_SRCDIR/config/slurm-build" 9.9.9 "$WT_TMP/prefix" 2>err &&
	grep "lists the source of Slurm 9.9.9, but does not have it.*--tarball" err &&
	test_expect_code 3 lacking "$WT_SRCDIR/config/slurm-build" 8.8.8 "$WT_TMP/prefix" 2>err &&
	grep "no Debian release here has the source of Slurm 8.8.8" err
'
test_done
