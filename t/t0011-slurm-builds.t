#!/bin/sh
test_description='builds for other releases of Slurm: slurm-build, --slurm, windtunnel slurm list'
. "$WT_SRCDIR/t/setup.sh"

# An installed tree with two such builds; each windtunnel in them prints how it was called.
tree=$WT_TMP/tree
other() {	# other VERSION PREFIX
	mkdir -p "$tree/libexec/windtunnel/slurm/$1/bin" "$tree/libexec/windtunnel/slurm/$1/libexec/windtunnel" &&
	mkdir -p "$2/sbin" && : >"$2/sbin/slurmctld" && chmod 755 "$2/sbin/slurmctld" &&
	printf 'version=%s\nprefix=%s\n' "$1" "$2" >"$tree/libexec/windtunnel/slurm/$1/libexec/windtunnel/slurm.build" &&
	command=$tree/libexec/windtunnel/slurm/$1/bin/windtunnel &&
	printf '#!/bin/sh\nprintf "%s:"; printf " <%%s>" "$@"; echo\n' "$1" >"$command" && chmod 755 "$command"
}
test_expect_success 'a tree with builds' '
	mkdir -p "$tree/bin" && cp "$WT_BUILDDIR/cmd/windtunnel" "$tree/bin/" &&
	other 9.8.7 "$WT_TMP/nine" && other 9.8.10 "$WT_TMP/a b" &&
	mkdir -p "$tree/libexec/windtunnel/slurm/broken" && PATH="$tree/bin:$PATH"
'
test_expect_success 'they are listed, this one first' '
	own=$(windtunnel --version | sed "s/.*(Slurm \(.*\))/\1/") &&
	windtunnel slurm list >out && test_line_count = 3 out &&
	sed -n 1p out | grep "^$own .*(default)$" && sed -n 2p out | grep "^9.8.7 *$WT_TMP/nine$" &&
	windtunnel slurm list --json >out && test "$(jq -r ".[2].version" out)" = 9.8.10 &&
	test "$(jq -r ".[2].prefix" out)" = "$WT_TMP/a b" && jq -e ".[0].default" out
'
# described TEXT: a folder whose slurm.build says that
described() {
	rm -rf "$tree/libexec/windtunnel/slurm/7.7.7" && other 7.7.7 "$WT_TMP/nine" &&
	printf "$1" >"$tree/libexec/windtunnel/slurm/7.7.7/libexec/windtunnel/slurm.build"
}
test_expect_success 'rubbish among them is left out' '
	for text in "" "version=\nprefix=/x\n" "version=7.7.7" "version=7.7.7\033[m\nprefix=/x\n" \
		"version=7.7.7\nprefix=x\n" \
		"version=7.7.7\nprefix=/x\377\n" "version=x\nprefix=/x\n" "prefix=/x\nprefix=/y\nversion=7.7.7/..\n"; do
		described "$text" && windtunnel slurm list >out && test_line_count = 3 out &&
		windtunnel slurm list --json | jq -e "length == 3" || return 1
	done &&
	rm -f "$tree/libexec/windtunnel/slurm/7.7.7/libexec/windtunnel/slurm.build" &&
	mkfifo "$tree/libexec/windtunnel/slurm/7.7.7/libexec/windtunnel/slurm.build" &&
	timeout 60 windtunnel slurm list >out && test_line_count = 3 out && rm -rf "$tree/libexec/windtunnel/slurm/7.7.7"
'
test_expect_success 'what is no folder of a build among them is left out' '
	here=$tree/libexec/windtunnel/slurm && windtunnel slurm list >want &&
	mkdir "$here/empty" "$here/closed" "$here/bare" &&
	ln -s /nowhere "$here/dangling" && ln -s loop "$here/loop" && : >"$here/7.7.7" && ln -s 9.8.7 "$here/again" &&
	mkdir "$here/bare/bin" && : >"$here/bare/bin/windtunnel" && chmod 755 "$here/bare/bin/windtunnel" &&
	cp -R "$here/9.8.7/libexec" "$here/closed/" && chmod 000 "$here/closed" &&
	mkdir -p "$here/uncommanded/libexec/windtunnel" "$here/foldered/libexec/windtunnel/slurm.build" &&
	printf "version=7.7.7\nprefix=/x\n" >"$here/uncommanded/libexec/windtunnel/slurm.build" &&
	windtunnel slurm list >out 2>err && wt_empty err && test_cmp want out &&
	windtunnel --slurm 9.8 run >out && grep "^9.8.10: " out && windtunnel --slurm 9.8.7 run >out &&
	grep "^9.8.7: " out && test_expect_code 2 windtunnel --slurm 7.7.7 run 2>err && ! grep "7.7.7," err &&
	chmod 755 "$here/closed" && rm -r "$here/empty" "$here/closed" "$here/bare" "$here/dangling" "$here/loop" \
		"$here/7.7.7" "$here/again" "$here/uncommanded" "$here/foldered" &&
	mv "$here" "$here.away" && windtunnel slurm list >out 2>err && wt_empty err && test_line_count = 1 out &&
	: >"$here" && windtunnel slurm list >out 2>err && wt_empty err && test_line_count = 1 out && rm "$here" &&
	mv "$here.away" "$here"
'
test_expect_success 'a Slurm that has gone, or that one may not look at, is named' '
	described "version=7.7.7\nprefix=$WT_TMP/gone\n" && test_expect_code 2 windtunnel --slurm 7.7 esp 2>err &&
	grep "Slurm 7.7.7 is installed in $WT_TMP/gone, but cannot be used from there: No such file" err &&
	windtunnel slurm list >out && grep "^7.7.7 *$WT_TMP/gone  (cannot be used: No such file or directory)" out &&
	! grep "^9.*cannot be used" out && windtunnel slurm list --json >out &&
	jq -e "map(select(.usable | not) | .version) == [\"7.7.7\"]" out &&
	mkdir "$WT_TMP/gone" && test_expect_code 2 windtunnel --slurm 7.7 esp 2>err &&
	grep "cannot be used from there" err &&
	rm -rf "$tree/libexec/windtunnel/slurm/7.7.7"
'
test_expect_success '--slurm hands the command over as it is' '
	windtunnel --slurm 9.8.7 esp --output "a b" "" >out && echo "9.8.7: <esp> <--output> <a b> <>" >want &&
	test_cmp want out &&
	windtunnel run --slurm=9.8 x >out && echo "9.8.10: <run> <x>" >want && test_cmp want out &&
	windtunnel cluster up --slurm "$WT_TMP/a b/." >out && echo "9.8.10: <cluster> <up>" >want && test_cmp want out
'
test_expect_success 'its own release is this build itself' '
	windtunnel --slurm "$own" --version >out && grep "Slurm $own" out
'
test_expect_success 'what is behind -- is not touched' '
	! windtunnel cluster exec none -- echo --slurm 9.8.7 2>err && ! grep "9.8.7" err
'
test_expect_success 'a release without a build: status 2, and which there are' '
	test_expect_code 2 windtunnel --slurm 1.2.3 esp 2>err && grep "22.05.8, 9.8.7, 9.8.10\|, 9.8.7, 9.8.10" err &&
	test_expect_code 2 windtunnel esp --slurm 2>err && grep "needs a version" err &&
	test_expect_code 2 windtunnel --slurm /nowhere esp 2>err && grep "/nowhere" err
'
# A cluster's folder, as far as one of another release reads it.
known() {	# known NAME VERSION
	mkdir -p "$WINDTUNNEL_STATE/$1" && chmod 700 "$WINDTUNNEL_STATE" &&
	jq -n --arg name "$1" --arg version "$2" "{name: \$name, uuid: \"u\", backend: \"virtual\", shape: \"pack:1\",
		controller_addr: \"127.0.0.1\", nodes: 2, cpus_per_node: 1, sockets: 1, cores_per_socket: 1,
		threads_per_core: 1, memory_mib: 1, controller_port: 1, nodes_port: 2, lock_port: 3, network: 77,
		created_s: 1, slurm_version: \$version}" >"$WINDTUNNEL_STATE/$1/cluster.json"
}
test_expect_success 'a cluster is reached by the build of its release' '
	known nine 9.8.7 && windtunnel cluster exec nine -- echo "a b" >out &&
	echo "9.8.7: <cluster> <exec> <nine> <--> <echo> <a b>" >want && test_cmp want out &&
	windtunnel cluster status --json nine >out && grep "^9.8.7: <cluster> <status>" out &&
	windtunnel esp --cluster nine -q >out && grep "^9.8.7: <esp> <--cluster> <nine> <-q>" out &&
	windtunnel run --cluster=nine >out && grep "^9.8.7: <run>" out &&
	windtunnel --slurm 9.8.7 cluster env nine >out && grep "^9.8.7: <cluster> <env> <nine>" out
'
test_expect_success 'what only reads its files, or ends it, is done at once' '
	windtunnel cluster list >out && grep "^nine *dead *2 *virtual *9.8.7 */" out &&
	windtunnel cluster list --json >out && test "$(jq -r ".[0].slurm_version" out)" = 9.8.7 &&
	windtunnel cluster logs nine --paths >out && wt_empty out
'
test_expect_success 'another release than its own is refused, and one without a build is named' '
	test_expect_code 2 windtunnel --slurm "$own" cluster exec nine -- true 2>err &&
	grep "cluster .nine. runs Slurm 9.8.7" err && known ten 10.1.2 &&
	test_expect_code 2 windtunnel cluster env ten 2>err &&
	grep "cluster .ten. runs Slurm 10.1.2.*quickstart slurm" err &&
	windtunnel cluster down ten && test ! -e "$WINDTUNNEL_STATE/ten"
'
test_expect_success 'a build for another release knows the others, and the one that it belongs to' '
	cp "$WT_BUILDDIR/cmd/windtunnel" "$tree/libexec/windtunnel/slurm/9.8.7/bin/inner" &&
	printf "version=1.1.1\nprefix=\n" >"$tree/libexec/windtunnel/slurm.build" &&
	"$tree/libexec/windtunnel/slurm/9.8.7/bin/inner" slurm list >out && test_line_count = 4 out &&
	sed -n 2p out | grep "^1.1.1 " && grep "^9.8.10 " out &&
	"$tree/libexec/windtunnel/slurm/9.8.7/bin/inner" --slurm 9.8.10 esp >out && grep "^9.8.10: <esp>" out
'
test_expect_success 'a release is a variant of an experiment' '
	command=$tree/libexec/windtunnel/slurm/9.8.7/bin/windtunnel &&
	printf "#!/bin/sh\necho \"\$*\" >>\"$WT_TMP/handed\"\nexec \"$WT_BUILDDIR/cmd/windtunnel\" \"\$@\"\n" >"$command" &&
	cat >releases.yaml <<-\END &&
	workload: {kind: burst, jobs: 2, run-time: 0.2}
	cluster: {nodes: 2}
	variants:
	  ours:
	  nine: {slurm: 9.8.7}
	END
	windtunnel experiment run --quiet --no-report --output releases releases.yaml >out &&
	test -s releases/ours/1/summary.json && test -s releases/nine/1/summary.json &&
	test_line_count = 2 "$WT_TMP/handed" && sed -n 1p "$WT_TMP/handed" | grep "^run --dry-run " &&
	sed -n 2p "$WT_TMP/handed" | grep "^run --resume --output=releases/nine/1 "
'
test_expect_success 'an experiment on a release without a build does not begin' '
	sed s/9.8.7/1.2.3/ releases.yaml >missing.yaml &&
	test_expect_code 2 windtunnel experiment run --output missing missing.yaml 2>err &&
	grep "nine.*--slurm 1.2.3.*not built" err && test ! -e missing
'
test_expect_success 'a cluster whose Slurm has gone: it is said, and down ends it all the same' '
	described "version=7.7.7\nprefix=$WT_TMP/vanished\n" && known seven 7.7.7 &&
	for words in "status seven" "env seven" "exec seven -- squeue" "start seven slurmctld"; do
		test_expect_code 2 windtunnel cluster $words 2>err &&
		grep "^windtunnel: cluster .seven. (.*down.*needs no Slurm)" err &&
		grep "Slurm 7.7.7 is installed in $WT_TMP/vanished, but cannot be used from there: No such file" err ||
			return 1
	done &&
	test_expect_code 2 windtunnel esp --cluster seven --output vanished 2>err && grep "cluster .seven. (" err &&
	test ! -e vanished && windtunnel cluster list >out && grep "^seven" out &&
	windtunnel cluster down seven && test ! -e "$WINDTUNNEL_STATE/seven" &&
	rm -rf "$tree/libexec/windtunnel/slurm/7.7.7"
'
# The runs say which release they were on: here all the same, so one is made another.
test_expect_success 'summary, compare, experiment compare and report name the releases' '
	test "$(jq -r .slurm_version releases/nine/1/summary.json)" = "$own" &&
	windtunnel compare releases/ours releases/nine >out && grep "^B: .*, Slurm $own, 1 run\$" out &&
	! grep "different releases" out &&
	jq ".versions.slurm = \"9.8.7\"" releases/nine/1/scenario.json >x && mv x releases/nine/1/scenario.json &&
	windtunnel compare releases/ours releases/nine >out &&
	grep -x "different releases of Slurm: A ran $own, B 9.8.7" out &&
	windtunnel experiment compare releases >out && grep -x "Releases of Slurm: ours $own, nine 9.8.7." out &&
	windtunnel experiment compare --json releases | jq -e ".cases[1].slurm_version == \"9.8.7\"" &&
	windtunnel report releases --output page.html >out && grep "Releases of Slurm: ours" page.html &&
	windtunnel report releases/nine/1 --output page.html >out && grep "windtunnel run --slurm=9.8.7 --workload" page.html
'
build="$WT_SRCDIR/config/slurm-build"
# Makefiles do not know what to do with the space that sharness' folder has in its name.
mkdir "$WT_TMP/plain" && cd "$WT_TMP/plain" || exit 1
test_expect_success 'slurm-build: wrong use' '
	"$build" --help >out && grep "^Usage: config/slurm-build" out &&
	test_expect_code 2 "$build" 2>err && test_expect_code 2 "$build" --frob 2>err &&
	for version in "1.2; reboot" ../1.2 .. 1..2 -- "1.2
" ""; do test_expect_code 2 "$build" "$version" 2>err && grep "is not a version\|^Usage" err || return 1; done
'
# A shell that goes on behind an option without its word would ask for it for ever.
test_expect_success 'slurm-build: options without what they need, and folders that nothing could be put into' '
	for wrong in --tarball "--tarball nowhere/x.tar 9.9.9" "--tarball . 9.9.9" \
		--jobs "--jobs 0 9.9.9" "--jobs x 9.9.9"; do
		test_expect_code 2 timeout 60 "$build" $wrong 2>err && grep "slurm-build: ${wrong%% *} needs" err &&
		test_line_count = 1 err || return 1
	done &&
	: >file && : >f.tar && test_expect_code 1 "$build" --tarball f.tar 9.9.9 "a b" 2>err && grep "cannot handle" err &&
	test ! -e "a b" && test_expect_code 1 "$build" --tarball f.tar 9.9.9 file/p 2>err && grep "file is not a folder" err
'
test_expect_success 'slurm-build: a folder of somebody else stays' '
	mkdir full && : >full/file && test_expect_code 1 "$build" 9.9.9 full 2>err &&
	grep "was not made by slurm-build" err &&
	test -e full/file
'
test_expect_success 'slurm-build: a prefix that is there is not made again' '
	mkdir made && echo 9.9.9 >made/.windtunnel-slurm && "$build" 9.9.9 made >out && echo "$PWD/made" >want &&
	test_cmp want out
'
test_expect_success 'slurm-build: a tar file that is none, of something else, of another release' '
	echo x >junk.tar && test_expect_code 1 "$build" --tarball junk.tar 9.9.9 p 2>err && grep "cannot be unpacked" err &&
	mkdir else && : >else/file && tar cf else.tar else &&
	test_expect_code 1 "$build" --tarball else.tar 9.9.9 p 2>err && grep "not Slurm" err &&
	mkdir slurm && echo "  Version:	9.9.8" >slurm/META && tar cf slurm.tar slurm &&
	test_expect_code 1 "$build" --tarball slurm.tar 9.9.9 p 2>err &&
	grep "has Slurm 9.9.8, not 9.9.9" err && test ! -e p && : >flat && tar cf flat.tar flat &&
	test_expect_code 1 "$build" --tarball flat.tar 9.9.8 p 2>err && grep "not Slurm" err
'
test_expect_success 'slurm-build: a tar file whose folder is a link out of it: nothing is done there' '
	mkdir outside && cp slurm/META outside/ && printf "#!/bin/sh\n: >configured\n" >outside/configure &&
	chmod +x outside/configure && mkdir links && ln -s "$PWD/outside" links/slurm && tar cf links.tar -C links slurm &&
	test_expect_code 1 "$build" --tarball links.tar 9.9.8 p 2>err && grep "not Slurm" err && test ! -e outside/configured
'
# Slurm's source as far as slurm-build looks at it; STALL_AT names the place where it comes to a standstill.
release() {	# release VERSION
	rm -rf release && mkdir -p release/slurm && : >release/COPYING && : >release/slurm/slurm.h &&
	for part in common api slurmctld plugins/select; do mkdir -p release/src/$part || return 1; done &&
	printf "  Version:\t%s\n" "$1" >release/META &&
	cat >release/configure <<-\END && chmod +x release/configure && tar cf release.tar release
	#!/bin/sh
	for a; do case $a in --prefix=*) prefix=${a#*=} ;; esac; done
	for folder in src/* src/plugins/*; do
		{
			printf "all:\n\t\"\$(STALL)\" %s\n" "${folder##*/}"
			printf "install-strip:\n\tmkdir -p \"\$(DESTDIR)%s\" && touch \"\$(DESTDIR)%s/%s\"\n" \
				"$prefix/lib" "$prefix/lib" "${folder##*/}"
		} >$folder/Makefile
	done
	END
}
STALL=$WT_TMP/stall STALLED=$WT_TMP/stalled TMPDIR=$WT_TMP/temporary
export STALL STALLED TMPDIR
# Two processes: one of them has no use for SIGTERM.
cat >"$STALL" <<'END'
#!/bin/sh
[ "${STALL_AT:-}" = "$1" ] || exit 0
sh -c 'trap "" TERM; echo $$ >"$STALLED.deaf"; sleep 600; :' &
echo $$ >"$STALLED"
sleep 600
END
mkdir "$TMPDIR" && chmod +x "$STALL" || exit 1
tidy() { test -z "$(ls -A "$TMPDIR")" && test -z "$(ls -d prefix.* 2>/dev/null)"; }
# ended SIGNAL STATUS PLACE COMMAND...: the command, ended so as soon as it stands still.  Signals mean to it what they mean
# to most: under nohup it would, as it should, go on after a SIGHUP.
ended() {
	signal=$1 status=$2 place=$3 && shift 3 && rm -f "$STALLED" "$STALLED.deaf" &&
	{ STALL_AT=$place env --default-signal "$@" >out 2>err & pid=$!; } &&
	wt_poll 60 test -s "$STALLED" -a -s "$STALLED.deaf" &&
	kill -s "$signal" $pid && { wait $pid; test $? = "$status"; } && cat err &&
	! kill -0 "$(cat "$STALLED")" && ! kill -0 "$(cat "$STALLED.deaf")" && tidy
}
test_expect_success 'slurm-build: a prefix from a tar file, again, and in place of another release' '
	release 9.9.9 && "$build" --tarball release.tar 9.9.9 prefix >out && echo "$PWD/prefix" >want && test_cmp want out &&
	test -e prefix/lib/slurmctld && test -e prefix/src/slurm/slurm.h && test -e prefix/include/slurm/slurm.h && tidy &&
	: >prefix/mine && "$build" --tarball release.tar 9.9.9 prefix && test -e prefix/mine &&
	release 9.9.10 && "$build" --tarball release.tar 9.9.10 prefix && test ! -e prefix/mine &&
	test "$(cat prefix/.windtunnel-slurm)" = 9.9.10 && tidy
'
test_expect_success 'slurm-build: ended while it compiles, it leaves neither processes nor files' '
	release 9.9.11 && ended TERM 143 slurmctld "$build" --tarball release.tar 9.9.11 prefix &&
	test "$(cat prefix/.windtunnel-slurm)" = 9.9.10 &&
	ended HUP 129 slurmctld "$build" --tarball release.tar 9.9.11 other && test ! -e other
'
test_expect_success 'slurm-build: ended while it copies, it leaves what was there' '
	mkdir bin && printf "#!/bin/sh\n%s \"\$@\" && \"\$STALL\" cp\n" "$(command -v cp)" >bin/cp && chmod +x bin/cp &&
	PATH=$PWD/bin:$PATH ended TERM 143 cp "$build" --tarball release.tar 9.9.11 prefix &&
	test "$(cat prefix/.windtunnel-slurm)" = 9.9.10 && test -e prefix/lib/slurmctld
'
test_expect_success 'slurm-build: a folder whose name ends in a slash, and one that is not there yet' '
	release 9.9.9 && "$build" --tarball release.tar 9.9.9 deep/slash// >out && echo "$PWD/deep/slash" >want &&
	test_cmp want out && test -e deep/slash/lib/slurmctld && rm -rf deep && tidy
'
# When it begins to copy, somebody has put a file there.
meanwhile() {	# meanwhile FILE TEXT COMMAND...
	file=$1 text=$2 && shift 2 && mkdir -p late-bin "$(dirname "$file")" &&
	printf "#!/bin/sh\necho %s >\"%s\"\nexec %s \"\$@\"\n" "$text" "$PWD/$file" "$(command -v cp)" >late-bin/cp &&
	chmod +x late-bin/cp && PATH=$PWD/late-bin:$PATH "$@" >out 2>err
}
test_expect_success 'slurm-build: what came into the folder meanwhile stays; one that made the same wins' '
	release 9.9.9 && test_expect_code 1 meanwhile late/mine x "$build" --tarball release.tar 9.9.9 late &&
	grep "late is not empty" err && ls -A late >left && echo mine >want && test_cmp want left && tidy &&
	meanwhile second/.windtunnel-slurm 9.9.9 "$build" --tarball release.tar 9.9.9 second &&
	test "$(cat out)" = "$PWD/second" && test ! -e second/lib && tidy && test -z "$(ls -d late.* second.* 2>/dev/null)"
'
test_expect_success 'slurm-build: killed, it leaves neither processes nor files a moment later' '
	rm -f "$STALLED" "$STALLED.deaf" &&
	{ STALL_AT=slurmctld "$build" --tarball release.tar 9.9.9 other >out 2>err & pid=$!; } &&
	wt_poll 60 test -s "$STALLED" -a -s "$STALLED.deaf" && kill -9 $pid && { wait $pid; test $? = 137; } &&
	gone() { ! kill -0 "$(cat "$STALLED")" && ! kill -0 "$(cat "$STALLED.deaf")" && tidy; } 2>/dev/null &&
	wt_poll 60 gone && test ! -e other
'
test_expect_success 'slurm-build: a prefix that is a link, to a folder or to none yet' '
	release 9.9.9 && ln -s pointed link && "$build" --tarball release.tar 9.9.9 link >out &&
	echo "$PWD/pointed" >want && test_cmp want out && test -L link && test -e pointed/lib/slurmctld &&
	release 9.9.10 && "$build" --tarball release.tar 9.9.10 link && test -L link && test -e pointed/lib/slurmctld &&
	test "$(cat link/.windtunnel-slurm)" = 9.9.10 && tidy
'
test_expect_success 'slurm-build: candidates of a release, and what was released again, are not that release' '
	release 9.9.0 && for issue in 0rc1 2 0.4; do
		printf "  Version:\t9.9.0\n  Release:\t%s\n" $issue >release/META && tar cf release.tar release &&
		test_expect_code 1 "$build" --tarball release.tar 9.9.0 issue 2>err &&
		grep "has Slurm 9.9.0-${issue#0.}, not 9.9.0$" err && test ! -e issue || return 1
	done &&
	"$build" --tarball release.tar 9.9.0-4 issue && rm -r issue && release 9.9.0 &&
	printf "  Release:\t1\n" >>release/META && tar cf release.tar release &&
	"$build" --tarball release.tar 9.9.0 issue && tidy
'
test_expect_success 'slurm-build: two at once for one folder: both succeed, and it is whole' '
	release 9.9.9 && { "$build" --tarball release.tar 9.9.9 shared >out 2>err & pid=$!; } &&
	"$build" --tarball release.tar 9.9.9 shared && wait $pid && test -e shared/lib/slurmctld &&
	test -z "$(ls -d shared.* 2>/dev/null)" && tidy
'
test_expect_success 'slurm-build: a folder for its work that is not there, is relative, or has a space' '
	(TMPDIR=/nowhere && export TMPDIR && test_expect_code 1 "$build" --tarball release.tar 9.9.9 placed) 2>err &&
	grep "slurm-build: there is no folder /nowhere (TMPDIR)" err && test_line_count = 1 err &&
	mkdir "$WT_TMP/a space" && (TMPDIR="$WT_TMP/a space" && export TMPDIR &&
		test_expect_code 1 "$build" --tarball release.tar 9.9.9 placed) 2>err && grep "TMPDIR .*cannot handle" err &&
	mkdir relative && (TMPDIR=relative && export TMPDIR && "$build" --tarball release.tar 9.9.9 placed) &&
	test -e placed/lib/slurmctld && test -z "$(ls -A relative)"
'
# mounted OPTIONS COMMAND: with a file system of its own on the folder disk
mounted() { mkdir -p disk && unshare -m sh -c "mount -t tmpfs -o $1 tmpfs disk && $2" >out 2>err; }
mounted size=64k true && test_set_prereq MOUNT
# What is installed is 80 KiB, and the archive a third of that.
large() {
	release "$1" && sed -i "s/touch/head -c 20000 \/dev\/zero >/" release/configure &&
	head -c 30000 /dev/zero >release/ballast && tar cf release.tar release
}
test_expect_success MOUNT 'slurm-build: no room to work in: its words, and nothing is left' '
	large 9.9.9 && for size in 8k 120k; do
		mounted size=$size "! TMPDIR=\$PWD/disk \"$build\" --tarball release.tar 9.9.9 room && ls -A disk" &&
		wt_empty out && cat err && grep "No space left\|no space is left in $PWD/disk (TMPDIR)" err &&
		grep "^slurm-build: " err && test ! -e room || return 1
	done
'
test_expect_success MOUNT 'slurm-build: no room for what it made: its words, and nothing is left' '
	mounted size=32k "! \"$build\" --tarball release.tar 9.9.9 disk/p && ls -A disk" && wt_empty out && cat err &&
	grep "No space left" err && test "$(grep -c "^cp: " err)" -le 3 &&
	grep "^slurm-build: $PWD/disk/p could not be written" err && tidy
'
test_expect_success MOUNT 'slurm-build: no room for the new release: the old one stays' '
	mounted size=160k "\"$build\" --tarball release.tar 9.9.9 disk/p && cp release.tar old.tar" && large 9.9.10 &&
	mounted size=160k "\"$build\" --tarball old.tar 9.9.9 disk/p && ! \"$build\" --tarball release.tar 9.9.10 disk/p &&
		cat disk/p/.windtunnel-slurm && ls -A disk" && cat out err &&
	printf "%s\n" "$PWD/disk/p" 9.9.9 p >want && test_cmp want out && grep "No space left" err && tidy
'
test_expect_success MOUNT 'slurm-build: a folder that is read only, or a mount, is refused before anything is built' '
	mounted size=1m "mount -o remount,ro disk && ! \"$build\" --tarball release.tar 9.9.9 disk/p" &&
	! grep building err &&
	grep "disk is not a folder that may be written to" err && test_line_count = 1 err &&
	mounted size=1m "! \"$build\" --tarball release.tar 9.9.9 disk" && ! grep building err &&
	grep "something is mounted on $PWD/disk: give a folder in it" err && test_line_count = 1 err && tidy
'
# No apt here knows an archive, or none that has it.
test_expect_success 'slurm-build: a source that cannot be had is status 3' '
	printf "#!/bin/sh\n" >bin/apt-cache && chmod +x bin/apt-cache &&
	PATH=$PWD/bin:$PATH test_expect_code 3 "$build" 9.9.12 none 2>err && grep "knows no Debian archive" err &&
	printf "#!/bin/sh\n[ \"\$1\" != policy ] || echo \" 500 http://mirror.invalid/debian x/main amd64 Packages\"\n" \
		>bin/apt-cache &&
	printf "#!/bin/sh\necho \"W: Failed to fetch: no network\"\n" >bin/apt-get && chmod +x bin/apt-get &&
	PATH=$PWD/bin:$PATH test_expect_code 3 "$build" 9.9.12 none 2>err && grep "no network" err &&
	grep "no Debian release here has the source of Slurm 9.9.12" err && test ! -e none && tidy
'
test_done
