#!/bin/sh
test_description='configure --with-slurm: what is no Slurm, or not all of one release, is named before anything is compiled'
. "$WT_SRCDIR/t/setup.sh"

# Makefiles do not know what to do with the space that sharness' folder has in its name.
mkdir "$WT_TMP/plain" && cd "$WT_TMP/plain" || exit 1
prefix=$WT_TMP/plain/prefix
# A Slurm as far as configure looks at one before it has a compiler.
make_tree() {	# make_tree FOLDER VERSION-STRING NUMBER API
	mkdir -p "$1/src/common" && : >"$1/src/common/slurm_protocol_defs.h" &&
	cat >"$1/config.h" <<-EOT
	#define VERSION "${2%%-*}"
	#define SLURM_VERSION_STRING "$2"
	#define SLURM_VERSION_NUMBER 0x$3
	#define SLURM_API_MAJOR $4
	#define MULTIPLE_SLURMD 1
	EOT
}
make_prefix() {	# make_prefix [VERSION-STRING]
	rm -rf "$prefix" && mkdir -p "$prefix/sbin" "$prefix/include/slurm" "$prefix/lib/slurm" &&
	printf '#!/bin/sh\necho "slurm %s"\n' "${1:-24.11.5}" >"$prefix/sbin/slurmctld" &&
	chmod +x "$prefix/sbin/slurmctld" &&
	: >"$prefix/include/slurm/slurm.h" &&
	echo "#define SLURM_VERSION_NUMBER 0x180b05" >"$prefix/include/slurm/slurm_version.h" &&
	: >"$prefix/lib/libslurm.so.42.0.0" && ln -s libslurm.so.42.0.0 "$prefix/lib/libslurm.so" &&
	: >"$prefix/lib/slurm/libslurmfull.so" && make_tree "$prefix/src" "${1:-24.11.5}" 180b05 42
}
# told STATUS WORDS OPTION...: what configure says, with a compiler that compiles nothing
told() {
	wanted=$1 words=$2 && shift 2 && rm -rf run && mkdir run &&
	(cd run && test_expect_code "$wanted" "$WT_SRCDIR/configure" -q CC=false "$@" >out 2>&1) && cat run/out &&
	grep -q -e "$words" run/out
}
wrong() { told 1 "$1" --with-slurm="$prefix"; }
# One that is whole goes on to the compiler, of which there is none.
whole() { told 77 "C compiler cannot create executables" "$@" && ! grep -i slurm run/out; }

test_expect_success 'one that is whole' '
	make_prefix && whole --with-slurm="$prefix" && whole --with-slurm="$prefix/" && ln -s prefix linked &&
	whole --with-slurm="$WT_TMP/plain/linked" && whole --with-slurm=../prefix &&
	mv "$prefix/lib" "$prefix/lib64" && whole --with-slurm="$prefix" && mkdir "$prefix/lib" &&
	mv "$prefix/lib64" "$prefix/lib/x86_64-linux-gnu" && whole --with-slurm="$prefix"
'
test_expect_success 'a second issue of a release, and a candidate, have names of their own' '
	make_prefix 24.11.5-2 && whole --with-slurm="$prefix" && make_prefix 24.11.5-0rc1 && whole --with-slurm="$prefix" &&
	make_tree "$prefix/src" 24.11.5 180b05 42 && wrong "src is Slurm 24.11.5, but .*slurmctld is 24.11.5-0rc1"
'
test_expect_success 'options without a value, or with one that an unset variable has left' '
	for option in --with-slurm --with-slurm= --without-slurm; do
		told 1 "error: --with-slurm needs the folder where a Slurm is installed" $option || return 1
	done &&
	for option in --with-slurm-src --with-slurm-src= --without-slurm-src; do
		told 1 "error: --with-slurm-src needs a folder" $option || return 1
	done
'
test_expect_success 'no folder, one without a Slurm, one with a space' '
	make_prefix && told 1 "/nowhere. is not a folder" --with-slurm=/nowhere && : >file &&
	told 1 "file. is not a folder" --with-slurm="$PWD/file" &&
	mkdir none && told 1 "no sbin/slurmctld in .*/none.$" --with-slurm="$PWD/none" &&
	ln -s "$prefix" "$WT_TMP/a b" && told 1 "has a character in its name" --with-slurm="$WT_TMP/a b" &&
	chmod -x "$prefix/sbin/slurmctld" && wrong "no sbin/slurmctld in"
'
test_expect_success 'headers alone, as config/slurm-build --headers keeps them' '
	make_prefix && rm -r "$prefix/sbin" "$prefix/lib" && : >"$prefix/.windtunnel-slurm-headers" &&
	wrong "no sbin/slurmctld in"
'
test_expect_success 'parts that are missing' '
	make_prefix && rm -r "$prefix/include/slurm" && wrong "no include/slurm/slurm.h in .*a package of its own" &&
	make_prefix && rm "$prefix/include/slurm/slurm_version.h" && wrong "no include/slurm/slurm_version.h in" &&
	! grep "of another release" run/out &&
	make_prefix && rm "$prefix/lib/libslurm.so" && wrong "no libslurm.so in lib or lib64 of .*a package of its own" &&
	make_prefix && rm "$prefix/lib/libslurm.so.42.0.0" && wrong "no libslurm.so in lib or lib64" &&
	make_prefix && rm "$prefix/lib/slurm/libslurmfull.so" && wrong "no libslurmfull.so in .*/lib/slurm"
'
test_expect_success 'a source tree that is none, was not configured, or is of another release' '
	make_prefix && rm -r "$prefix/src" && wrong "also needs --with-slurm-src" &&
	told 1 "needs a folder; ./nowhere. is none" --with-slurm="$prefix" --with-slurm-src=/nowhere &&
	make_tree tree 24.11.5 180b05 42 && whole --with-slurm="$prefix" --with-slurm-src=../tree &&
	mkdir tree/build && mv tree/config.h tree/build/ && whole --with-slurm="$prefix" --with-slurm-src="$PWD/tree" &&
	rm tree/build/config.h &&
	told 1 "tree is not a configured Slurm source tree (run its configure first)" --with-slurm="$prefix" \
		--with-slurm-src="$PWD/tree" &&
	make_tree tree 24.11.4 180b04 42 &&
	told 1 "tree is Slurm 24.11.4, but .*slurmctld is 24.11.5; they must be the same" --with-slurm="$prefix" \
		--with-slurm-src="$PWD/tree"
'
test_expect_success 'a slurmctld that does not start: the reason and its name' '
	make_prefix && printf "#!/bin/sh\necho \"libslurmfull.so: cannot open\" >&2\nexit 127\n" >"$prefix/sbin/slurmctld" &&
	wrong "slurmctld does not tell its version" && grep "libslurmfull.so: cannot open" run/out
'
test_expect_success 'headers of another release than the daemons' '
	make_prefix && echo "#define SLURM_VERSION_NUMBER 0x160508" >"$prefix/include/slurm/slurm_version.h" &&
	wrong "include/slurm is of another release (0x160508) than .*/src (0x180b05)"
'
test_expect_success 'a library of another release than the daemons' '
	make_prefix && : >"$prefix/lib/libslurm.so.38.0.0" && ln -sf libslurm.so.38.0.0 "$prefix/lib/libslurm.so" &&
	wrong "libslurm.so is .*libslurm.so.38.0.0, of another release than .*libslurm.so.42"
'
test_expect_success 'one built without --enable-multiple-slurmd is warned of' '
	make_prefix && sed -i /MULTIPLE/d "$prefix/src/config.h" && told 77 "WARNING: .*--enable-multiple-slurmd" \
		--with-slurm="$prefix"
'
test_done
