#!/bin/sh
test_description='windtunnel --allocator: slurmctld with another memory allocator'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer has an allocator of its own"
	test_done
fi

loaded() { grep -q "libtcmalloc_minimal" "/proc/$1/maps"; }
controller() { jq -r ".daemons[] | select(.name == \"slurmctld\") | .pid" "$dir/state.json"; }

refused() {
	test_expect_code "$1" windtunnel cluster up bad --nodes 2 --allocator "$2" --quiet >out 2>err &&
	grep -e "--allocator $2: .*$3" err && test_line_count = 1 err && test ! -e "$WINDTUNNEL_STATE/bad"
}
test_expect_success 'what is no allocator, or does not load, is refused before anything starts' '
	straight=$(mktemp -d) && cleanup rm -r "$straight" && echo "no library" >"$straight/text.so" &&
	: >"a blank.so" &&
	refused 2 malloc "give tcmalloc, jemalloc" && refused 2 text.so "give tcmalloc, jemalloc" &&
	refused 1 "$straight/gone.so" "No such file" && refused 1 "$straight/text.so" "does not load: " &&
	refused 2 "$PWD/a blank.so" "blanks or colons"
'
test_expect_success 'slurmctld has it, also after a restart; nothing else has' '
	cleanup windtunnel cluster down other &&
	windtunnel cluster up other --nodes 2 --allocator tcmalloc --quiet && dir="$WINDTUNNEL_STATE/other" &&
	windtunnel cluster describe other | grep "allocator .*/libtcmalloc_minimal" && loaded $(controller) &&
	for pid in $(jq -r ".daemons[] | select(.name != \"slurmctld\") | .pid" "$dir/state.json"); do
		! loaded $pid || return 1
	done &&
	windtunnel cluster exec other -- sbatch --wrap true -W >out 2>&1 &&
	windtunnel cluster stop other slurmctld && windtunnel cluster start other slurmctld && loaded $(controller)
'
test_expect_success 'the schedule is the same, to the last byte' '
	for how in "" "--allocator tcmalloc"; do
		windtunnel run --workload burst --jobs 60 --run-time 20 --nodes 16 --clock virtual --charge none --seed 4 \
			$how --quiet --output "run${how:+-other}" >out 2>err || return 1
	done &&
	test_cmp run/jobs.csv run-other/jobs.csv && test_cmp run/events.csv run-other/events.csv &&
	jq -e ".jobs_completed == 60 and .repeatable.verdict == \"yes\"" run-other/summary.json &&
	jq -e ".options.own_cluster.allocator == \"tcmalloc\"" run-other/scenario.json
'
test_done
