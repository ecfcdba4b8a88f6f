#!/bin/sh
test_description='experiments/*.yaml: each is taken as it is, says what it asks and needs, and is installed'
. "$WT_SRCDIR/t/setup.sh"

# unbuilt FILE: it needs a release of Slurm that is not here, says which, and is taken on this one.
unbuilt() {
	grep -q "slurm: [0-9]" "$1" && cat err && grep "Windtunnel is not built for it" err &&
	sed -E "s/slurm: [0-9.]+/slurm: $own/" "$1" >"$WT_TMP/own.yaml" &&
	windtunnel experiment run --dry-run "$WT_TMP/own.yaml" >out 2>err
}
own=$(windtunnel --version | sed "s/.*(Slurm \(.*\))/\1/")
for file in "$WT_SRCDIR"/experiments/*.yaml; do
	name=${file##*/}
	test_expect_success "$name: each of its cases would be run" '
		{ windtunnel experiment run --dry-run "$file" >out 2>err || unbuilt "$file" || { cat err; false; }; } &&
		tail -n 1 out | grep "^[1-9][0-9]* cases, [1-9][0-9]* runs of each, seeds from [0-9]* on\$" &&
		sed -n 1p "$file" | grep "^# .*?\$" &&
		{ ! grep -q "^# After.*Georgiou" "$file" || grep -q "Since 2012" "$file"; } &&
		grep -q "It takes: " "$file"
	'
done
test_expect_success 'no two experiments ask the same, and what is installed is what is there' '
	grep -h "^title: " "$WT_SRCDIR"/experiments/*.yaml | sort | uniq -d >twice && wt_empty twice &&
	make -s -C "$WT_BUILDDIR" install-dist_experimentsDATA DESTDIR="$WT_TMP/root" prefix=/usr >/dev/null &&
	ls "$WT_SRCDIR/experiments" >want && ls "$WT_TMP/root/usr/share/windtunnel/experiments" >got && test_cmp want got
'
test_expect_success 'trees of switches are those that windtunnel topology makes' '
	windtunnel topology generate curie >fine && test_cmp "$WT_SRCDIR/experiments/curie-fine.conf" fine &&
	windtunnel topology generate curie --coarsen 1 >medium &&
	test_cmp "$WT_SRCDIR/experiments/curie-medium.conf" medium &&
	windtunnel topology generate curie --coarsen 2 >flat && test_cmp "$WT_SRCDIR/experiments/curie-flat.conf" flat
'
cat >day.awk <<'END'
BEGIN { print "{\"windtunnel_jobs\":1}" }
/^lublin\./ { t += $8; printf "{\"id\":\"%s\",\"submit_s\":%.3f,\"run_time_s\":%s,\"tasks\":1}\n", $1, t, $6 }
END
test_expect_success 'tasks are those that windtunnel workload generate draws, and those of the model of a day' '
	windtunnel workload generate --output brs.jsonl bag && test_cmp "$WT_SRCDIR/experiments/brs.jsonl" brs.jsonl &&
	windtunnel workload generate --output montage.jsonl montage &&
	test_cmp "$WT_SRCDIR/experiments/montage.jsonl" montage.jsonl &&
	windtunnel run --workload lublin --jobs 200 --load 1 --nodes 10 --seed 2 --dry-run >lublin &&
	awk -f day.awk lublin >day.jsonl && test_cmp "$WT_SRCDIR/experiments/day.jsonl" day.jsonl
'
test_done
