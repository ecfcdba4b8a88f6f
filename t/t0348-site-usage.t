#!/bin/sh
test_description='fair share as of the capture: what users had used before the first job is there when a cluster begins'
. "$WT_SRCDIR/t/setup.sh"

for program in mariadbd mariadb-install-db my_print_defaults slurmdbd sacct; do
	command -v $program >/dev/null || {
		skip_all="$program is missing (Debian: mariadb-server-core, mariadb-client-core, slurmdbd, slurm-client)"
		test_done
	}
done
printf "ann:x:2000000001:2000000001::/:\n" >some && : >none
windtunnel cluster up x --nodes 1 --passwd some --group none --dry-run >out 2>err || {
	skip_all=$(cat err)
	test_done
}
# usage CLUSTER USER: of sshare
usage() {
	timeout 300 windtunnel cluster exec --drive "$1" -- sshare -a -P -n -o User,RawUsage |
		awk -F"|" -v user="$2" '$1 == user { print $2 }'
}
# near NUMBER WANTED PERCENT
near() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a != "" && a >= b * (1 - p / 100) && a <= b * (1 + p / 100)) }'; }
imported() { awk -F, -v user="$1" '$2 == user { print $3 }' site/usage.csv; }

test_expect_success 'a cluster whose users have run jobs, then others' '
	printf "%s\n" "add account physics Fairshare=1" "add account optics Fairshare=1" "add user ann account=physics" \
		"add user bob account=optics" >accounts &&
	printf "%s\n" ann:x:2000000001:2000000001::/: bob:x:2000000002:2000000001::/: >passwd &&
	printf "people:x:2000000001:\n" >group &&
	cat >jobs.jsonl <<-END &&
	{"id":1,"submit_s":0,"run_time_s":3600,"nodes":1,"tasks":4,"user":"ann","account":"physics","time_limit_s":7200}
	{"id":2,"submit_s":7200,"run_time_s":3600,"nodes":1,"tasks":2,"user":"bob","account":"optics","time_limit_s":7200}
	{"id":3,"submit_s":7200,"run_time_s":3600,"nodes":1,"tasks":1,"user":"ann","account":"physics","time_limit_s":7200}
	END
	windtunnel cluster up first --clock virtual --charge none --nodes 2 --shape "pack:1 core:4 pu:1" --quiet \
		--sacctmgr accounts --passwd passwd --group group --set PriorityType=priority/multifactor \
		--set PriorityWeightFairshare=1000 --set PriorityDecayHalfLife=2:00:00 --set PriorityCalcPeriod=1 \
		--set SelectTypeParameters=CR_CPU &&
	windtunnel run --cluster first --workload jobs:jobs.jsonl --quiet --output run >out 2>err || { cat err; false; } &&
	jq -e ".jobs_completed == 3" run/summary.json && test "$(usage first ann)" -gt 0
'
test_expect_success 'import reckons back to the first job of the capture: the others are not counted twice' '
	windtunnel site capture >capture.sh && begin=$(jq ".begin_s | floor" run/summary.json) &&
	timeout 300 windtunnel cluster exec --drive first -- sh capture.sh --output cap --start @$((begin + 7000)) 2>err &&
	windtunnel site import cap --output site >out && cat out site/usage.csv &&
	jq -e ".jobs.written == 2 and .usage.read == 3 and .usage.written == 3" site/import.json &&
	: "4 TRES, an hour, an hour before: 4 * 7200 / ln 2 * (2^-0.5 - 2^-1)" &&
	near "$(imported ann)" 8605 3 && test "$(imported bob)" -le 20
'
test_expect_success 'and a cluster begins with it' '
	windtunnel cluster up second --site site --clock virtual --charge none --quiet 2>err || { cat err; false; } &&
	near "$(usage second ann)" "$(imported ann)" 1 && test "$(usage second bob)" -le 20 &&
	windtunnel run --cluster second --workload jobs:site/jobs.jsonl --quiet --output again >out 2>err ||
		{ cat err; false; } &&
	near "$(usage second bob)" "$(usage first bob)" 5 && near "$(usage second ann)" "$(usage first ann)" 5 &&
	windtunnel cluster down second
'
test_expect_success 'who is nobody in the accounts is told of, a file that is none is refused' '
	cp -r site other && echo "optics,carl,5" >>other/usage.csv &&
	windtunnel cluster up other --site other --quiet &&
	grep "usage: of [0-9] users in accounts 1 have no association here, the first is optics/carl" \
		"$WINDTUNNEL_STATE/other/daemons.log" && windtunnel cluster down other &&
	echo "optics,bob,many" >>other/usage.csv &&
	test_expect_code 2 windtunnel cluster up other --site other 2>err && grep "other/usage.csv:6: raw_usage" err &&
	test ! -e "$WINDTUNNEL_STATE/other"
'
test_done
