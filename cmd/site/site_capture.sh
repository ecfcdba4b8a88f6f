#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Collect what a site's Slurm tells of its configuration, accounts and jobs, for "windtunnel site import".
#
# Read it before you run it.  It asks (scontrol show, sacctmgr show and dump, sshare, sacct), reads the files of Slurm's
# configuration, and writes into one new folder.  It changes nothing, submits nothing, and needs no root; "sacctmgr dump"
# is for administrators of the accounting (or SlurmUser, or root): without it there will be no accounts.
# Passwords of slurm.conf are not written.  What it has collected is described in windtunnel-site(5).
set -u
LC_ALL=C
export LC_ALL

usage() {
	cat <<END
Usage: sh $0 --output FOLDER [option ...]
  --output FOLDER     make this folder, which must not exist yet
  --days N            jobs of the last N days (default: 30)
  --start DATE        jobs from here on (YYYY-MM-DD[THH:MM:SS]), instead of --days
  --end DATE          jobs up to here (default: now)
  --conf FILE         slurm.conf (default: the one that Slurm says it uses)
  --no-jobs           leave out the jobs
  --anonymise TABLE   replace the names of users, groups, accounts, jobs and WCKeys.  TABLE says which name stands for
                      which: it is made, or used again and added to.  Keep it to yourself: it is the key.
                      What cannot be cleaned is then left out: comments, hosts, paths, work folders, scripts.
                      The names of the cluster, nodes, partitions, QOS, features, reservations and licences stay.
END
}

fail() {
	echo "$0: $*" >&2
	exit 1
}
say() { echo "$*" >&2; }

output='' days=30 start='' end='' conf='' table='' jobs=yes
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage; exit 0 ;;
	--no-jobs) jobs=no; shift; continue ;;
	--output | --days | --start | --end | --conf | --anonymise) [ $# -ge 2 ] || fail "$1 needs a value" ;;
	*) usage >&2; exit 2 ;;
	esac
	case $1 in
	--output) output=$2 ;;
	--days) days=$2 ;;
	--start) start=$2 ;;
	--end) end=$2 ;;
	--conf) conf=$2 ;;
	--anonymise) table=$2 ;;
	esac
	shift 2
done
[ -n "$output" ] || { usage >&2; exit 2; }
case $days in '' | *[!0-9]*) fail "--days $days is no number" ;; esac
for tool in scontrol awk date; do
	command -v $tool >/dev/null || fail "there is no $tool here"
done
end_s=$(date -d "${end:-now}" +%s) || fail "--end $end is no time"
start_s=$(date -d "${start:-@$((end_s - days * 86400))}" +%s) || fail "--start $start is no time"
[ "$start_s" -lt "$end_s" ] || fail "the period ends before it begins"
[ -n "$conf" ] || conf=$(scontrol show config | awk '$1 == "SLURM_CONF" { print $3 }')
[ -r "$conf" ] || fail "slurm.conf '$conf' cannot be read: give --conf FILE"
conf_folder=$(dirname "$conf")
umask 077
mkdir "$output" || fail "--output $output: give the name of a folder that does not exist yet"
[ -z "$table" ] || : >>"$table" || fail "--anonymise $table cannot be written"
problems=0
problem() {
	say "  cannot be had: $*"
	problems=$((problems + 1))
}

# ---- other names ----------------------------------------------------------------------------------------------------
# A table has lines "KIND NAME OTHER-NAME" with tabs between; KIND is user, group, account, job or wckey.  New names get a
# number that is drawn.  These functions of awk begin each program that changes names; they do nothing without a table.
names='
function name_key(kind, name) { return kind "\t" name }
function table_read(   line, part) {
	srand(seed)
	while (table != "" && (getline line < table) > 0) {
		split(line, part, "\t")
		other[name_key(part[1], part[2])] = part[3]
		used[part[3]] = 1
	}
	if (table != "") close(table)
}
function rename(kind, name,   key, new) {
	if (table == "" || name == "" || name == "root" || name ~ /^(ALL|Unknown|None)$/) return name
	gsub(/[\t\n]/, " ", name)
	key = name_key(kind, name)
	if (!(key in other)) {
		do new = substr(kind, 1, 1) sprintf("%07d", int(rand() * 10000000)); while (new in used)
		used[new] = 1
		other[key] = new
		printf "%s\t%s\n", key, new >>table
	}
	return other[key]
}
function rename_list(kind, list,   part, n, i, text) {
	n = split(list, part, ",")
	for (i = 1; i <= n; i++) text = text (i > 1 ? "," : "") rename(kind, part[i])
	return text
}
BEGIN { table_read() }
'
seed() { od -An -N4 -tu4 /dev/urandom | tr -d ' '; }
named_awk() {	# named_awk PROGRAM [-v VARIABLE=VALUE...]
	program=$1
	shift
	awk -v table="$table" -v seed="$(seed)" "$@" "$names$program"
}

# ---- configuration --------------------------------------------------------------------------------------------------
# Comments go, Includes are put in place, passwords are left out.  With a table, settings that tell hosts, users and paths
# go, too, and accounts and groups get other names.
configuration() {	# configuration FILE
	named_awk '
	function plain(line) {
		while (match(line, /(^|[^\\])#/)) line = substr(line, 1, RSTART + RLENGTH - 2)
		sub(/[ \t\r]+$/, "", line)
		return line
	}
	function secrets(line) {
		while (match(tolower(line), /[a-z]*pass[a-z]*[ \t]*=[ \t]*[^ \t]*/))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		return line
	}
	function names_change(line, word, kind,   at, value) {
		at = match(tolower(line), "(^|[ \t])" tolower(word) "[ \t]*=")
		if (!at) return line
		value = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART + RLENGTH - 1)
		sub(/^[ \t]+/, "", value)
		match(value, /^[^ \t]*/)
		return line rename_list(kind, substr(value, 1, RLENGTH)) substr(value, RLENGTH + 1)
	}
	function clean(line,   key) {
		if (table == "") return line
		key = tolower(line)
		sub(/[ \t]*=.*/, "", key)
		if (key !~ /^[ \t]*(nodename|partitionname|nodeset|downnodes|switchname|name|autodetect)/) {
			if (line ~ /=[ \t]*"?\// || line ~ /@/) return ""
			if (key ~ /(host|addr|machine|controller|user|domain|loc)$/) return ""
		}
		while (match(tolower(line), /(nodeaddr|nodehostname|bcastaddr|reason)[ \t]*=[ \t]*("[^"]*"|[^ \t]*)/))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		line = names_change(line, "AllowAccounts", "account")
		line = names_change(line, "DenyAccounts", "account")
		line = names_change(line, "AllowGroups", "group")
		return line
	}
	function copy(file, depth,   line, next_line, name, got) {
		if (depth > 16) { print "too many Includes within each other" >"/dev/stderr"; failed = 1; return }
		while ((got = (getline line < file)) > 0) {
			line = plain(line)
			while (line ~ /\\$/ && (getline next_line < file) > 0)
				line = substr(line, 1, length(line) - 1) plain(next_line)
			if (tolower(line) ~ /^[ \t]*include[ \t]+[^ \t=]/) {
				name = line
				sub(/^[ \t]*[A-Za-z]+[ \t]+/, "", name)
				gsub(/%c/, cluster, name)
				if (name !~ /^\//) name = folder "/" name
				if (name in open_now) { print name " includes itself" >"/dev/stderr"; failed = 1; continue }
				open_now[name] = 1
				copy(name, depth + 1)
				delete open_now[name]
				continue
			}
			if (match(tolower(line), /^[ \t]*clustername[ \t]*=[ \t]*/)) {
				cluster = tolower(substr(line, RLENGTH + 1))
				sub(/[ \t].*/, "", cluster)
			}
			line = clean(secrets(line))
			if (line !~ /^[ \t]*$/) print line
		}
		if (got < 0) { print "cannot read " file >"/dev/stderr"; failed = 1 }
		close(file)
	}
	BEGIN { copy(start, 0); exit failed }
	' -v start="$1" -v folder="$conf_folder"
}

say "configuration: $conf"
configuration "$conf" >"$output/slurm.conf" || problem "all of $conf"
for name in gres.conf topology.conf; do
	[ ! -e "$conf_folder/$name" ] || configuration "$conf_folder/$name" >"$output/$name" || problem "$conf_folder/$name"
done
if [ -r "$conf_folder/topology.yaml" ]; then
	cat "$conf_folder/topology.yaml" >"$output/topology.yaml"
fi
cluster=$(awk 'tolower($0) ~ /^[ \t]*clustername[ \t]*=/ { sub(/^[^=]*=[ \t]*/, ""); sub(/[ \t].*/, ""); print }' \
	"$output/slurm.conf" | tail -n 1)

# ---- accounts -------------------------------------------------------------------------------------------------------
dump_names() {
	named_awk '
	function value(text) { gsub(/\047/, "", text); return text }
	function item(text,   key, list) {
		key = text
		sub(/=.*/, "", key)
		list = value(substr(text, length(key) + 2))
		if (key == "DefaultAccount" || key == "Coordinator") return key "=\047" rename_list("account", list) "\047"
		if (key == "WCKeys" || key == "DefaultWCKey") return key "=\047" rename_list("wckey", list) "\047"
		return key ~ /^(Description|Organization)$/ ? "" : text
	}
	table == "" || /^#/ { if (table == "") print; next }
	{
		# Colons inside of quotes separate nothing.
		text = ""; quoted = 0; n = 1; delete part
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1)
			if (c == "\047") quoted = !quoted
			if (c == ":" && !quoted) { part[n++] = text; text = "" } else text = text c
		}
		part[n] = text
		type = part[1]
		sub(/ - .*/, "", type)
		name = value(substr(part[1], length(type) + 4))
		if (type == "User") name = rename("user", name)
		else if (type == "Account" || type == "Project" || type == "Parent") name = rename("account", name)
		line = type " - \047" name "\047"
		for (i = 2; i <= n; i++) if ((text = item(part[i])) != "") line = line ":" text
		print line
	}
	'
}

show() {	# show FILE COMMAND...: what it prints
	file=$1
	shift
	say "$*"
	"$@" >"$output/$file" 2>"$output/.errors" || {
		problem "$(head -n 1 "$output/.errors")"
		rm -f "$output/$file"
		return 1
	}
}

if command -v sacctmgr >/dev/null && [ -n "$cluster" ]; then
	show qos.txt sacctmgr -P show qos
	show tres.txt sacctmgr -P show tres
	[ -n "$table" ] || show events.txt sacctmgr -P show event start="$(date -d "@$start_s" +%Y-%m-%dT%H:%M:%S)"
	say "sacctmgr dump $cluster"
	if sacctmgr dump "$cluster" file="$output/.dump" >"$output/.errors" 2>&1 && [ -s "$output/.dump" ]; then
		dump_names <"$output/.dump" >"$output/accounts.dump"
	else
		problem "accounts: $(grep -v '^$' "$output/.errors" | head -n 1)"
	fi
	rm -f "$output/.dump"
fi
if command -v sshare >/dev/null && show .shares sshare -a -P -o Account,User,RawShares,NormShares,RawUsage,FairShare; then
	named_awk '
	BEGIN { FS = OFS = "|" }
	NR > 1 { blanks = $1; sub(/[^ ].*/, "", blanks); sub(/^ +/, "", $1); $1 = blanks rename("account", $1)
		$2 = rename("user", $2) }
	{ print }
	' <"$output/.shares" >"$output/sshare.txt"
	rm -f "$output/.shares"
fi

# ---- groups that partitions name, with their members ----------------------------------------------------------------
# Of the file before names were changed: getent knows only those.
# shellcheck disable=SC2016
group_words='tolower($0) ~ /allowgroups/ { line = tolower($0); at = match(line, /allowgroups[ \t]*=[ \t]*/)
	text = substr($0, RSTART + RLENGTH); sub(/[ \t].*/, "", text); gsub(/"/, "", text); gsub(/,/, "\n", text)
	print text }'
saved_table=$table
table=
configuration "$conf" 2>/dev/null | awk "$group_words" | sort -u >"$output/.groups"
table=$saved_table
while read -r group; do
	[ "$group" = ALL ] || [ -z "$group" ] || getent group "$group" || problem "group $group"
done <"$output/.groups" | named_awk '
	BEGIN { FS = OFS = ":" }
	{ $1 = rename("group", $1); $2 = "x"; $4 = rename_list("user", $4); print }
	' >"$output/group"
rm -f "$output/.groups"

# ---- nodes, partitions, reservations: for people, with names and hosts, so not with a table ---------------------------
if [ -z "$table" ]; then
	show nodes.txt scontrol show nodes -o
	show partitions.txt scontrol show partitions -o
	show reservations.txt scontrol show reservations -o
	show jobs.txt scontrol show jobs -o
fi

# ---- jobs -----------------------------------------------------------------------------------------------------------
wanted="JobIDRaw JobID JobName User Group Account QOS Partition Submit Eligible Start End ElapsedRaw Suspended State
	ExitCode TimelimitRaw ReqCPUS AllocCPUS ReqNodes AllocNodes ReqMem ReqTRES AllocTRES Constraints Reservation
	WCKey NodeList Flags Restarts QOSREQ Licenses SubmitLine"
separator=$(printf '\037')

# Each field is a record of awk's.
job_names() {	# job_names FIELDS HEADER(yes|no)
	named_awk '
	# The quotes around a name with blanks are lost: it is known, and stands aside while words are looked at.
	function line_clean(line,   word, n, i, out, name, at) {
		at = job_name ~ /[ \t\n]/ ? index(line, job_name) : 0
		if (at) line = substr(line, 1, at - 1) "name" substr(line, at + length(job_name))
		n = split(line, word, /[ \t\n]+/)
		out = word[1]
		sub(/.*\//, "", out)
		if (out !~ /^(sbatch|salloc|srun)$/) return ""
		for (i = 2; i <= n && word[i] ~ /^-/; i++) {
			name = word[i]
			if (name ~ /^--/) {
				sub(/^--/, "", name)
				sub(/=.*/, "", name)
				if (name in alone) { out = out " " word[i]; continue }
				if (word[i] !~ /=/) { i++; if (name in keeps) out = out " --" name "=" word[i]; continue }
				if (name in keeps) out = out " " word[i]
			} else {
				name = substr(word[i], 2, 1)
				if (name ~ /[HsOvQXku]/) { if (name ~ /[HsO]/) out = out " " word[i]; continue }
				if (length(word[i]) == 2) { i++; if (name in letters) out = out " -" name word[i]; continue }
				if (name in letters) out = out " " word[i]
			}
		}
		return out
	}
	function list_set(text, set,   part, n, i) { n = split(text, part, " "); for (i = 1; i <= n; i++) set[part[i]] = 1 }
	BEGIN {
		RS = "\037"; ORS = ""
		count = split(fields, field, ",")
		list_set("nodes ntasks cpus-per-task ntasks-per-node ntasks-per-socket ntasks-per-core sockets-per-node" \
			" cores-per-socket threads-per-core mincpus mem mem-per-cpu mem-per-gpu tmp gres gpus" \
			" gpus-per-node gpus-per-task gpus-per-socket cpus-per-gpu exclusive begin deadline time time-min" \
			" nice priority switches" \
			" core-spec array dependency constraint licenses nodelist exclude reservation partition qos hint" \
			" distribution gres-flags thread-spec ntasks-per-gpu", keeps)
		list_set("oversubscribe contiguous requeue no-requeue overcommit spread-job hold use-min-nodes exclusive" \
			" nice" \
			" parsable wait quiet verbose exact overlap no-kill test-only x11 pty immediate", alone)
		list_set("N n c t C d L w x G b a p q S m B", letters)
	}
	{
		at = (NR - 1) % count + 1
		name = field[at]
		ended = ""
		if (at == 1 && sub(/^\n/, "")) ended = "\n"
		if (NR <= count && header == "yes") { print $0 "\037"; next }
		if (at == 1 && $0 == "") exit
		if (name == "JobName") job_name = $0
		if (table != "") {
			if (name == "User") $0 = rename("user", $0)
			else if (name == "Group") $0 = rename("group", $0)
			else if (name == "Account") $0 = rename("account", $0)
			else if (name == "JobName") $0 = rename("job", $0)
			else if (name == "WCKey") $0 = (sub(/^\*/, "") ? "*" : "") rename("wckey", $0)
			else if (name == "SubmitLine") $0 = line_clean($0)
		}
		print ended $0 "\037"
	}
	END { print "\n" }
	' -v fields="$1" -v header="$2"
}

if [ "$jobs" = yes ] && command -v sacct >/dev/null; then
	known=$(sacct --helpformat) || problem "sacct --helpformat"
	fields=
	for name in $wanted; do
		for have in $known; do
			[ "$have" != "$name" ] || fields=$fields${fields:+,}$name
		done
	done
	# A week at a time is gentle to the database; jobs that lie in two of them stand twice, which the import sees.
	from=$start_s header=yes
	while [ "$from" -lt "$end_s" ]; do
		to=$((from + 7 * 86400))
		[ "$to" -lt "$end_s" ] || to=$end_s
		first=$(date -d "@$from" +%Y-%m-%dT%H:%M:%S) last=$(date -d "@$to" +%Y-%m-%dT%H:%M:%S)
		say "sacct from $first to $last"
		none=
		[ "$header" = yes ] || none=-n
		# shellcheck disable=SC2086
		if SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -p $none --noconvert --delimiter="$separator" -S "$first" -E "$last" \
			-o "$fields" >"$output/.jobs" 2>"$output/.errors"; then
			[ ! -s "$output/.jobs" ] || job_names "$fields" "$header" <"$output/.jobs" >>"$output/sacct.txt"
			header=no
		else
			problem "jobs: $(head -n 1 "$output/.errors")"
		fi
		rm -f "$output/.jobs"
		from=$to
	done
fi
rm -f "$output/.errors"

cat >"$output/capture.txt" <<END
format=1
cluster=$cluster
slurm_version=$(scontrol --version | awk '{ print $2 }')
captured_s=$(date +%s)
from=$start_s
until=$end_s
anonymised=$([ -n "$table" ] && echo yes || echo no)
END
say "written: $output"
[ "$problems" = 0 ] || say "$problems things could not be had: see above"
exit 0
