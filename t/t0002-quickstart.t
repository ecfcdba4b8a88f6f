#!/bin/sh
test_description='quickstart: its words, and what it says when packages are missing'
. "$WT_SRCDIR/t/setup.sh"

# A clone without a build folder, and a dpkg-query that does not know two packages of the list.
test_expect_success 'set up a clone and a dpkg-query' '
	mkdir "$WT_TMP/clone" "$WT_TMP/bin" &&
	cp -R "$WT_SRCDIR/quickstart" "$WT_SRCDIR/packages" "$WT_TMP/clone/" &&
	chmod 755 "$WT_TMP" && chmod -R u+w "$WT_TMP/clone" &&
	cat >"$WT_TMP/bin/dpkg-query" <<-\EOT &&
	#!/bin/sh
	for package; do :; done
	case $package in jq-missing|libgsl-dev|munge) echo "no such package" >&2; exit 1 ;; esac
	echo installed
	EOT
	printf "#!/bin/sh\necho apt-get was called >&2\nexit 100\n" >"$WT_TMP/bin/apt-get" &&
	printf "#!/bin/sh\n[ \"\$1\" = -u ] && echo 1000 || echo somebody\n" >"$WT_TMP/bin/id" &&
	chmod +x "$WT_TMP"/bin/*
'
quickstart() { "$WT_TMP/clone/quickstart" "$@"; }

test_expect_success '--help names the three ways to call it' '
	quickstart --help >out &&
	grep -q "quickstart build" out && grep -q "quickstart check" out && grep -q "run folder: PATH" out
'
test_expect_success 'an unknown word is one line that names it' '
	test_expect_code 1 quickstart nonsense 2>err &&
	test_line_count = 1 err && grep -q "nonsense.*--help" err
'
test_expect_success 'build takes no options' '
	test_expect_code 1 quickstart build --nodes 3 2>err &&
	test_line_count = 1 err && grep -q "takes no options" err
'
test_expect_success 'a folder that autotools cannot handle is refused' '
	cp -R "$WT_TMP/clone" "$WT_TMP/with space" &&
	test_expect_code 1 "$WT_TMP/with space/quickstart" build 2>err &&
	grep -q "with space.*move the clone" err
'
test_expect_success 'without root: the missing packages and no others, as one apt-get line' '
	(PATH="$WT_TMP/bin:$PATH" && export PATH && test_expect_code 1 quickstart build) >out 2>err &&
	grep -q "apt-get install --no-install-recommends libgsl-dev munge\$" err &&
	! grep -q "apt-get was called" err &&
	test ! -e "$WT_TMP/clone/build/install"
'
test_expect_success 'as root: a failing apt-get is reported with its words' '
	printf "#!/bin/sh\n[ \"\$1\" = -u ] && echo 0 || echo root\n" >"$WT_TMP/bin/id" &&
	sed "s,^policy=.*,policy=\"$WT_TMP/policy-rc.d\"," "$WT_SRCDIR/quickstart" >"$WT_TMP/clone/quickstart" &&
	(PATH="$WT_TMP/bin:$PATH" && export PATH && test_expect_code 1 quickstart build) >out 2>err &&
	grep -q "apt-get was called" err && grep -q "could not install" err
'
test_expect_success 'the policy that keeps daemons down is gone afterwards' '
	test ! -e "$WT_TMP/policy-rc.d"
'
test_expect_success 'while apt-get runs it refuses our daemons, and to start others; it is void once quickstart has ended' '
	printf "#!/bin/sh\ncp %s %s\nexit 100\n" "$WT_TMP/policy-rc.d" "$WT_TMP/policy.copy" >"$WT_TMP/bin/apt-get" &&
	(PATH="$WT_TMP/bin:$PATH" && export PATH && test_expect_code 1 quickstart build) >out 2>err &&
	test_expect_code 0 "$WT_TMP/policy.copy" munge start &&
	sed "s/kill -0 [0-9]*/kill -0 $$/" "$WT_TMP/policy.copy" >"$WT_TMP/policy.live" &&
	chmod +x "$WT_TMP/policy.live" &&
	test_expect_code 101 "$WT_TMP/policy.live" munge.service start &&
	test_expect_code 101 "$WT_TMP/policy.live" slurmdbd restart &&
	test_expect_code 101 "$WT_TMP/policy.live" dbus start &&
	test_expect_code 101 "$WT_TMP/policy.live" no-such-daemon restart
'
test_expect_success "an administrator's own policy stays" '
	echo "exit 101" >"$WT_TMP/policy-rc.d" &&
	(PATH="$WT_TMP/bin:$PATH" && export PATH && test_expect_code 1 quickstart build) >out 2>err &&
	echo "exit 101" >expected && test_cmp expected "$WT_TMP/policy-rc.d"
'
test_expect_success 'the list has every package that configure names' '
	sed "s/#.*//" "$WT_SRCDIR/packages/debian.txt" | awk "NF { print \$1 }" | sort >names &&
	sed -n "s/.*WT_NEED(.*, \[\([a-z0-9.+-]*\)\]).*/\1/p" "$WT_SRCDIR"/config/wt_*.m4 | sort -u >named &&
	test_line_count -gt 8 named && comm -13 names named >lacking && wt_empty lacking
'
test_done
