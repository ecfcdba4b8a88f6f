#!/bin/sh
test_description="an attacker at the plugin's port, a hung munged: publishing goes on, slurmctld does not grow, and ends"
. "$WT_SRCDIR/t/setup.sh"

PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
dir="$WINDTUNNEL_STATE/e"
pid_of() { jq -r ".daemons[] | select(.name == \"$1\") | .pid" "$dir/state.json"; }

test_expect_success 'bench/flood, small: 800 connections, without a credential and with one' '
	"$WT_SRCDIR/bench/flood" --seconds 14 --connections 800 --tasks 80 --output result >table &&
	jq -e "[.phases[] | select(.commits > 0)] | length == 4" result
'
test_expect_success 'the plugin stays in memory when slurmctld unloads it: a thread may still be in munge' '
	readelf -d "$WT_BUILDDIR"/plugins/straggler/slurm/*_straggler.so >dynamic && grep NODELETE dynamic
'
# munge gives up after 10 s and more, for each question; how long the sealer waits for it is what test_sealer looks at.
test_expect_success 'munged hangs, and the port is asked all the time: slurmctld ends all the same, and well' '
	windtunnel cluster up e --nodes 2 --plugin straggler --quiet && munged=$(pid_of munged) &&
	ctld=$(pid_of slurmctld) &&
	cleanup "kill -CONT $munged" && kill -STOP $munged &&
	{ bench_flood "$dir/straggler.conf" 5 20 junk >flood & flooder=$!; } &&
	wt_poll 30 grep "munged does not answer" "$dir/ctld/slurmctld.log" && kill $ctld &&
	wt_poll 60 grep "slurmctld: pid $ctld ended: exit 0" "$dir/daemons.log" && kill -CONT $munged && wait $flooder
'
test_done
