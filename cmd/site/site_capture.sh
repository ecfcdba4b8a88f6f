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
	printf '%s: %s\n' "$0" "$*" >&2
	exit 1
}
say() { printf '%s\n' "$*" >&2; }

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
# What has not got its other names yet does not stay, not even after Ctrl-C.
trap 'rm -f "$output/.dump" "$output/.errors" "$output/.groups" "$output/.jobs" "$output/.reservations" \
	"$output/.shares"' EXIT
trap 'exit 1' HUP INT TERM
unset CDPATH
if [ -n "$table" ]; then
	case $table in /*) ;; *) table=./$table ;; esac		# awk takes "-" for its standard input
	table_folder=$(cd "$(dirname "$table")" && pwd -P)/ || fail "--anonymise $table cannot be written"
	case $table_folder in
	"$(cd "$output" && pwd -P)"/*)
		rmdir "$output"
		fail "--anonymise $table: it is the key, and would be passed on with $output: put it elsewhere"
		;;
	esac
	: >>"$table" || fail "--anonymise $table cannot be written"
fi
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
BEGIN { table = ENVIRON["WT_TABLE"]; table_read() }
'
seed() { od -An -N4 -tu4 /dev/urandom | tr -d ' '; }
named_awk() {	# named_awk PROGRAM [-v VARIABLE=VALUE...]
	program=$1
	shift
	# Paths go by the environment: -v would read their backslashes.
	WT_TABLE=$table awk -v seed="$(seed)" "$@" "$names$program"
}

# ---- configuration --------------------------------------------------------------------------------------------------
# Comments go, Includes are put in place, passwords are left out.  With a table, settings that tell hosts, users and paths
# go, too, and accounts and groups get other names.
configuration() {	# configuration FILE
	WT_START=$1 WT_FOLDER=$conf_folder
	export WT_START WT_FOLDER
	named_awk '
	function plain(line) {
		while (match(line, /(^|[^\\])#/)) line = substr(line, 1, RSTART + RLENGTH - 2)
		sub(/[ \t\r]+$/, "", line)
		return line
	}
	function secrets(line) {
		while (match(tolower(line), /[a-z0-9_.]*(pass[a-z0-9_.]*|certtoken)[ \t]*[+]?=[ \t]*("[^"]*"?|[^ \t]*)/))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		# http://user:password@host
		while (match(line, /[A-Za-z0-9_.]+[ \t]*[+]?=[ \t]*("[^"]*:\/\/[^"]*@[^"]*"?|[^ \t"]*:\/\/[^ \t]*@[^ \t]*)/))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		return line
	}
	# A slash is harmless between two words, as in sched/backfill.
	function tells(key, value) {
		if (key ~ /files?$/ && value ~ /^\/dev\//) return 0
		return key ~ /^(nodehostname|reason|allocnodes|mcsparameters)$/ || value ~ /@|^\/|[^A-Za-z0-9]\// ||
			value ~ /\/[A-Za-z0-9_.-]*\// || key ~ /(host|addr|machine|controller|user|domain|loc)$/
	}
	function clean(line,   first, key, value, begin, out, kind) {
		if (table == "") return line
		out = first = ""
		while (match(line, /^[ \t]*[A-Za-z0-9_.]+[ \t]*[+]?=[ \t]*("[^"]*"|[^ \t]*)/)) {
			value = substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 1)
			sub(/^[ \t]+/, "", value)
			match(value, /^[^=]*=[ \t]*/)
			begin = substr(value, 1, RLENGTH)
			value = substr(value, RLENGTH + 1)
			key = tolower(begin)
			sub(/[ \t+]*=.*/, "", key)
			if (first == "") first = key
			if (key == "frontendname") return out	# a host, and what is behind it is of it
			kind = key ~ /^(allow|deny)accounts$/ ? "account" : key ~ /^(allow|deny)groups$/ ? "group" : ""
			if (key ~ /^(allow|deny)users$/) kind = "user"
			if (kind != "") gsub(/["]/, "", value)
			if (kind != "") value = rename_list(kind, value)
			else if (tells(key, value ~ /^"/ ? substr(value, 2, length(value) - 2) : value)) {
				if (key == first &&
				    key ~ /^(nodename|partitionname|nodeset|downnodes|switchname)$/) return ""
				continue
			}
			out = out (out == "" ? "" : " ") begin value
		}
		if (line !~ /^[ \t]*$/) print "  left out: what is no KEY=VALUE, of a line with " first >"/dev/stderr"
		return out
	}
	function copy(file, depth,   line, next_line, name, got) {
		if (depth > 16 || ++files > 1024) {
			print "too many Includes within each other" >"/dev/stderr"
			failed = 1
			return
		}
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
	BEGIN {
		folder = ENVIRON["WT_FOLDER"]
		open_now[ENVIRON["WT_START"]] = 1
		copy(ENVIRON["WT_START"], 0)
		exit failed
	}
	'
}

say "configuration: $conf"
configuration "$conf" >"$output/slurm.conf" || problem "all of $conf"
for name in gres.conf topology.conf; do
	[ ! -e "$conf_folder/$name" ] || configuration "$conf_folder/$name" >"$output/$name" || problem "$conf_folder/$name"
done
if [ -r "$conf_folder/topology.yaml" ] && [ -n "$table" ]; then
	say "  left out, for its comments: topology.yaml"
elif [ -r "$conf_folder/topology.yaml" ]; then
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
	# With a table without what people wrote, and who they are.
	show events.txt env SLURM_TIME_FORMAT=%s sacctmgr -P show event ${table:+format=NodeName,TimeStart,TimeEnd,State} \
		start="$(date -d "@$start_s" +%Y-%m-%dT%H:%M:%S)"
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

# ---- reservations; with a table only what import reads of them --------------------------------------------------------
show .reservations env SLURM_TIME_FORMAT=%s scontrol show reservations -o && {
	named_awk '
	table == "" { print; next }
	/^ReservationName=/ {
		line = ""
		split("", seen)
		for (i = 1; i <= NF; i++) {
			key = value = $i
			sub(/=.*/, "", key)
			if (key in seen) continue
			if (key !~ /^(ReservationName|StartTime|EndTime|Nodes|PartitionName|Flags|Users|Accounts)$/) continue
			seen[key] = 1
			value = substr(value, length(key) + 2)
			if (value != "(null)" && key == "Users") value = signed_list("user", value)
			if (value != "(null)" && key == "Accounts") value = signed_list("account", value)
			line = line (line == "" ? "" : " ") key "=" value
		}
		print line
	}
	function signed_list(kind, list,   part, n, i, text, sign) {	# "-name": all but him
		n = split(list, part, ",")
		for (i = 1; i <= n; i++) {
			sign = part[i] ~ /^-/ ? "-" : ""
			text = text (i > 1 ? "," : "") sign rename(kind, substr(part[i], length(sign) + 1))
		}
		return text
	}
	' <"$output/.reservations" >"$output/reservations.txt"
	rm -f "$output/.reservations"
}

# ---- nodes, partitions, jobs: for people, with names and hosts, so not with a table -----------------------------------
if [ -z "$table" ]; then
	show nodes.txt scontrol show nodes -o
	show partitions.txt scontrol show partitions -o
	show jobs.txt scontrol show jobs -o
fi

# ---- jobs -----------------------------------------------------------------------------------------------------------
wanted="JobIDRaw JobID JobName User Group Account QOS Partition Submit Eligible Start End ElapsedRaw Suspended State
	ExitCode TimelimitRaw ReqCPUS AllocCPUS ReqNodes AllocNodes ReqMem ReqTRES AllocTRES Constraints Reservation
	WCKey NodeList Flags Restarts QOSREQ Licenses SubmitLine"
separator=$(printf '\037')

# Other names for people.  Each field is a record of awk's.  A job begins with its number on a new line; one that has another
# number of fields is left out, for users can write the separator, too, and what a field is would be guessed.
job_names() {	# job_names FIELDS HEADER(yes|no)
	named_awk '
	# How an option takes a value: value, may (behind =), none; and what is written of it: with its value, its name alone
	# (the value would tell something), or nothing, as it does not matter or stands in a column of its own.
	function options_know(how, list,   part, n, i) {
		n = split(list, part, " ")
		for (i = 1; i <= n; i++) option[part[i]] = how
	}
	# As getopt_long: the name, or the beginning of one alone.
	function option_find(name,   known, found) {
		if (name in option) return name
		found = ""
		for (known in option)
			if (name != "" && index(known, name) == 1) {
				if (found != "") return ""
				found = known
			}
		return found
	}
	# Sets kept, the text that is written, and whole to 0 if something is lost.
	function option_take(name, sign, has_value, value,   how) {
		how = option[name]
		kept = ""
		if (how ~ /nothing$/) return
		if (how ~ /alone$/) kept = sign (how ~ /^value/ ? "=x" : "")
		else if (!has_value) kept = sign
		else if (value == "" || value ~ /[\/~$"`\\;<>]/) whole = 0
		else kept = sign (sign ~ /^--/ ? "=" : "") value
	}
	function long_take(   name, value, has) {
		name = value = substr(word[at], 3)
		sub(/=.*/, "", name)
		has = value ~ /=/
		value = has ? substr(value, length(name) + 2) : ""
		name = option_find(name)
		if (name == "" || (option[name] ~ /^none/ && has)) return 0
		if (option[name] ~ /^value/ && !has) {
			if (at >= words) return 0
			value = word[++at]
			has = 1
		}
		last = name
		option_take(name, "--" name, has, value)
		if (kept != "") out = out " " kept
		return 1
	}
	function letters_take(text,   c, value, has) {
		for (; text != ""; text = substr(text, 2)) {
			c = substr(text, 1, 1)
			if (!(c in letter)) return 0
			last = letter[c]
			has = option[last] !~ /^none/ && length(text) > 1
			value = has ? substr(text, 2) : ""
			if (option[last] ~ /^value/ && !has) {
				if (at >= words) return 0
				value = word[++at]
				has = 1
			}
			option_take(last, option[last] ~ /alone$/ ? "--" last : "-" c, has, value)
			if (kept != "") out = out " " kept
			if (option[last] !~ /^none/) return 1
		}
		return 1
	}
	# Options follow, which may be of the command, or of the job behind a text that has lost its quotes.
	function options_follow(   i) { for (i = at; i <= words; i++) if (word[i] ~ /^-/) return 1; return 0 }
	# The quotes around a name with blanks are lost: it is known, and stands aside while words are looked at.
	# --not-told, which no Slurm knows, says to the import that this is not all.
	function line_clean(line, job_name,   i) {
		i = job_name ~ /[^ \t\n]/ && job_name ~ /[ \t\n]/ ? index(line, job_name) : 0
		if (i) line = substr(line, 1, i - 1) "name" substr(line, i + length(job_name))
		words = split(line, word, /[ \t\r\n]+/)
		out = word[1]
		sub(/.*\//, "", out)
		if (out !~ /^(sbatch|salloc|srun)$/) return ""
		option["wait"] = (out == "sbatch" ? "none" : "value") " nothing"
		whole = 1
		last = ""
		for (at = 2; at <= words && word[at] ~ /^-./ && word[at] != "--"; at++) {
			if (word[at] ~ /^--wrap(=|$)/) { last = "comment"; at++; break }
			if (word[at] ~ /^--/ ? !long_take() : !letters_take(substr(word[at], 2))) { whole = 0; break }
		}
		if (last ~ /^(comment|job-name|chdir|output|error|input|export|extra|mail-user)$/ &&
		    options_follow()) whole = 0
		return out (whole ? "" : " --not-told")
	}
	function value_clean(name, value, job_name) {
		if (name == "User") return rename("user", value)
		if (name == "Group") return rename("group", value)
		if (name == "Account") return rename("account", value)
		if (name == "JobName") return rename("job", value)
		if (name == "WCKey") return (sub(/^\*/, "", value) ? "*" : "") rename("wckey", value)
		if (name == "State") sub(/ by .*/, "", value)
		return name == "SubmitLine" ? line_clean(value, job_name) : value
	}
	function record_end(   i) {
		if (have && have != count) bad++
		for (i = 1; have == count && i <= count; i++)
			printf "%s\037", header == "yes" ? value_of[i] : \
				value_clean(field[i], value_of[i], value_of[name_at])
		if (have == count) printf "\n"
		header = "no"
		have = 0
	}
	BEGIN {
		RS = "\037"
		count = split(fields, field, ",")
		for (name_at = 1; name_at < count && field[name_at] != "JobName";) name_at++
		options_know("value kept", "nodes ntasks cpus-per-task ntasks-per-node tasks-per-node ntasks-per-socket" \
			" ntasks-per-core sockets-per-node cores-per-socket threads-per-core mincpus mem mem-per-cpu" \
			" mem-per-gpu tmp gres gpus gpus-per-node gpus-per-task gpus-per-socket" \
			" cpus-per-gpu begin deadline" \
			" time time-min priority switches core-spec array dependency constraint licenses nodelist exclude" \
			" reservation partition qos hint distribution gres-flags thread-spec ntasks-per-gpu" \
			" ntasks-per-tres extra-node-info delay-boot segment")
		options_know("may kept", "exclusive nice")
		options_know("may alone", "immediate")
		options_know("none kept", "oversubscribe share contiguous requeue no-requeue overcommit spread-job hold" \
			" reboot use-min-nodes stepmgr spread-segments")
		options_know("value alone", "batch bb bbf cluster-constraint mcs-label network nodefile power prefer" \
			" tres-per-task consolidate-segments")
		options_know("value nothing", "account job-name wckey uid gid acctg-freq accel-bind" \
			" argv bcast-exclude chdir" \
			" workdir clusters cluster comment container container-id context" \
			" cpu-bind cpu_bind cpu-freq epilog" \
			" error export export-file extra gpu-bind gpu-freq het-group input jobid kill-on-invalid-dep" \
			" mail-type mail-user mem-bind mem_bind mpi msg-timeout oom-kill-step open-mode output profile" \
			" prolog relative signal slurmd-debug task-epilog task-prolog threads treewidth wait-all-nodes" \
			" wait-for-switch")
		options_know("none nothing", "bell disable-status exact external ignore-pbs interactive label multi-prog" \
			" no-allocate no-bell no-shell parsable preserve-env quiet quit-on-interrupt test-only unbuffered" \
			" verbose whole")
		options_know("may nothing", "bcast compress get-user-env kill-command kill-on-bad-exit no-kill overlap" \
			" propagate pty resv-ports send-libs x11")
		at = split("A account q qos p partition J job-name C constraint d dependency L licenses w nodelist" \
			" x exclude N nodes n ntasks c cpus-per-task G gpus s oversubscribe b begin t time O overcommit" \
			" S core-spec H hold a array m distribution B extra-node-info I immediate F nodefile D chdir" \
			" M clusters X disable-status e error i input K kill-command l label Z no-allocate k no-kill" \
			" o output E preserve-env Q quiet r relative T threads u unbuffered v verbose W wait", word, " ")
		for (; at > 1; at -= 2) letter[word[at - 1]] = word[at]
	}
	{
		if (have && $0 ~ /^\n[0-9]+$/) {
			record_end()
			sub(/^\n/, "")
		}
		value_of[++have] = $0
	}
	END {
		if (value_of[have] == "\n") have--
		record_end()
		if (bad) print "  jobs left out: " bad ", whose fields are not those that were asked for" >"/dev/stderr"
		exit (bad > 0)
	}
	' -v fields="$1" -v header="$2"
}
jobs_copy() {	# jobs_copy FIELDS HEADER: what import cannot read, it tells
	if [ -n "$table" ]; then
		job_names "$1" "$2"
	else
		cat
	fi
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
		if SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -p $none --noconvert \
			--delimiter="$separator" -S "$first" -E "$last" \
			-o "$fields" >"$output/.jobs" 2>"$output/.errors"; then
			[ ! -s "$output/.jobs" ] || jobs_copy "$fields" "$header" <"$output/.jobs" >>"$output/sacct.txt" ||
				problem "all jobs from $first to $last"
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
