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
test_done
