# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-archive.sh - Slurm's source in a Debian archive, for slurm-source and slurm-build, which read this file.  $work is
# a folder of theirs, whose lists.d has the deb-src lists; die () is theirs, too.
#
# Apt's settings stay untouched: all that apt would write lies below $work, and hooks of the system (which may need root)
# are not run.
package=slurm-wlm

# The indexes of the sources in lists.d.  One of several may fail: what is missing is told when it is asked for.
archive_open() {
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$work/lists.d";
Dir::State::Lists "$work/lists";
Dir::Cache "$work/cache";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "";
Acquire::Retries "3";
Debug::NoLocking "true";
#clear APT::Update;
END
	apt-get -q -c "$work/apt.conf" update >"$work/update.log" 2>&1 || true
}

archive_source() {	# archive_source ARGUMENT...: apt-get source in $work
	(cd "$work" && apt-get -q -c "$work/apt.conf" source "$@" >>source.log 2>&1)
}

versions_offered() {	# "24.11.5-4 24.11.5": the package's version and Slurm's
	apt-cache -c "$work/apt.conf" showsrc "$package" 2>/dev/null |
		sed -n 's/^Version: \(.*\)/\1/p' | sort -uV | awk '{ v = $1; sub(/-[^-]*$/, "", v); print $1, v }'
}

# tarball_fetch VERSION: what the authors released, without Debian's changes; $tarball is its file, "" if there is none.
# A mirror may lack the .dsc, or the whole of one revision, and another revision has the same tar file.
tarball_fetch() {
	tarball=
	for revision in $(versions_offered | awk -v v="$1" '$2 == v { print $1 }' | sort -rV); do
		if archive_source --tar-only "$package=$revision"; then
			tarball=$(ls "$work/${package}_$1".orig.tar.*)
			return
		fi
	done
}

# tree_unpack VERSION: $tree is the folder of $tarball's source, which has to be of that version.
tree_unpack() {
	mkdir "$work/tree"
	tar xf "$tarball" -C "$work/tree" || die "$tarball cannot be unpacked"
	tree=$work/tree
	# A release has one folder on top, git archive may have none.  A link is no folder: it may lead out of $work.
	[ -f "$tree/META" ] || tree=$(find "$work/tree" -mindepth 1 -maxdepth 1 -type d)
	[ -f "$tree/META" ] || die "$tarball has no META: it is not Slurm's source"
	found=$(sed -n 's/^ *Version:[ \t]*//p' "$tree/META")
	# 24.11.0's candidates are 24.11.0-0rc1 to slurmctld, and what was released again is 24.11.0-2.
	issue=$(sed -n 's/^ *Release:[ \t]*//p' "$tree/META")
	case $issue in '' | 1) ;; *) found=$found-${issue#0.} ;; esac
	[ "$found" = "$1" ] || die "$tarball has Slurm $found, not $1"
}
