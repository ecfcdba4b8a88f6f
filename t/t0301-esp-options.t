#!/bin/sh
test_description='windtunnel esp: options, --dry-run, run folder'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT OPTION...: exit status 2, nothing on stdout, one line on stderr that contains TEXT
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel esp "$@" >out 2>err &&
	test_line_count = 1 err && test_line_count = 0 out &&
	grep -q -e "^windtunnel esp: .*$text" err
}

test_expect_success '--help and --usage' '
	windtunnel esp --help >out && grep -q -e "--time-scale=X" out && grep -q -e "--nodes=" out &&
	windtunnel esp --usage >out && grep -q -e "--variant=NAME" out
'
test_expect_success 'nonsense in each option is refused with one line' '
	refused nonsense --nonsense &&
	refused extra extra &&
	refused "zz.*esp, light" --variant zz &&
	refused "sockets.*cpus" --unit sockets &&
	refused "seed -1" --seed -1 &&
	refused "seed" --seed 99999999999999999999 &&
	refused "time-scale 0:" --time-scale 0 &&
	refused "time-scale nan" --time-scale nan &&
	refused "time-scale 1x" --time-scale 1x &&
	refused "time-scale 0x1" --time-scale 0x1 &&
	refused "time-scale  1" --time-scale " 1" &&
	refused "repeat 0" --repeat 0 &&
	refused "burst 231" --burst 231 &&
	refused "burst" --burst "" &&
	refused "limit-factor 0.5" --limit-factor 0.5 &&
	refused "probe.*none, ping, job or step" --probe pong &&
	refused "sample-interval 0" --sample-interval 0 &&
	refused "timeout x" --timeout x &&
	refused "output.*empty" --output "" &&
	refused "cluster.*empty" --cluster "" &&
	refused "partition.*empty" --partition "" &&
	refused "requires an argument" --seed
'
test_expect_success 'nonsense in --arrival is refused with one line' '
	refused "uniform:MIN,MAX" --arrival 1,3 &&
	refused "uniform:MIN,MAX" --arrival uniform:1 &&
	refused "uniform:MIN,MAX" --arrival uniform:1,2,3 &&
	refused arrival --arrival uniform:3,1 &&
	refused arrival --arrival uniform:0x1,3 &&
	refused arrival --arrival "uniform: 1,3" &&
	refused arrival --arrival uniform:1,inf &&
	refused arrival --arrival gaussian:1,-1 &&
	refused arrival --arrival poisson:1,2
'
test_expect_success 'options that contradict each other are refused' '
	refused "leave out" --cluster a --nodes 4 &&
	refused "needs --nodes" --memory 1000 &&
	refused "dry-run" --dry-run --nodes 4 --output x &&
	refused "dry-run" --dry-run --nodes 4 --repeat 2 &&
	refused "resume needs the --output" --nodes 4 --resume &&
	refused "resume needs the --output" --nodes 4 --resume --repeat 2
'
test_expect_success 'without any cluster: says what to give' '
	SLURM_CONF=$WT_TMP/none test_expect_code 1 windtunnel esp --dry-run 2>err &&
	grep -q "none.*--nodes, --cluster or SLURM_CONF" err && test_line_count = 1 err
'
test_expect_success 'a cluster that does not run: one line, and no folder left' '
	test_expect_code 1 windtunnel esp --cluster nowhere --output gone 2>err &&
	grep -q nowhere err && test ! -e gone
'
test_expect_success 'an empty folder that was there before stays, and is no run folder' '
	mkdir mine && test_expect_code 1 windtunnel esp --cluster nowhere --output mine >out 2>err &&
	test -d mine && test_line_count = 0 out && test_line_count = 1 err &&
	test_expect_code 1 windtunnel esp --cluster nowhere --repeat 2 --output mine >out 2>err &&
	test -d mine && test ! -e mine/1 && test_line_count = 0 out
'
# The names of all seconds of the next half hour are taken.
test_expect_success 'the default folder is a new one' '
	mkdir default && (
		cd default && TZ=UTC0 && export TZ && begin=$(date +%s) &&
		seq $begin $((begin + 1799)) | sed "s/^/@/" | date -f - +light-esp-%Y%m%d-%H%M%S | xargs mkdir &&
		test_expect_code 1 windtunnel esp --nodes 4 --set SelectType=select/nonsense --quiet >../out 2>../err
	) &&
	tail -n 1 out | grep "^run folder: .*/default/light-esp-[0-9]*-[0-9]*-2\$" && test_line_count = 1 out &&
	ls default | wc -l >count && test "$(cat count)" = 1801
'
test_expect_success 'output that cannot be written is a failure' '
	test_expect_code 1 windtunnel esp --nodes 4 --dry-run >/dev/full 2>err && test_line_count = 1 err &&
	test_expect_code 1 windtunnel esp --nodes 4 --dry-run --json >/dev/full 2>err && test_line_count = 1 err
'
test_expect_success '--dry-run with a wrong option: status 2' '
	refused "shape" --nodes 4 --shape nonsense --dry-run &&
	refused "set: Slurm .* has no key .UnknownKey. in slurm.conf" --nodes 4 --set UnknownKey=1 --dry-run &&
	refused "set: TreeWidth=x: give a whole number from 0 to 65535" --nodes 4 --set TreeWidth=x --dry-run &&
	test_expect_code 1 windtunnel esp --nodes 4 --topology no-such-file --dry-run >out 2>err &&
	grep "topology: no-such-file: .*No such file" err
'
test_expect_success '--dry-run: the whole workload, the same each time, and nothing else' '
	windtunnel esp --nodes 5040 --dry-run >one && windtunnel esp --nodes 5040 --dry-run >two &&
	test_cmp one two && test_line_count = 233 one &&
	head -n 1 one | grep -q "230 jobs for 5040 nodes with 80640 CPUs, seed 1, time scale 1, ideal 935.2 s" &&
	grep -c "^light-esp.H.* 12757 .* 89.000 " one >count && test "$(cat count)" = 6 &&
	tail -n 2 one | grep -c "^light-esp.Z.* Z  *1  *80640 " >count && test "$(cat count)" = 2 &&
	test ! -e "$WINDTUNNEL_STATE"
'
test_expect_success '--dry-run is the golden workload' '
	windtunnel esp --nodes 64 --time-scale 0.1 --seed 7 --dry-run >out &&
	{ head -n 13 out && tail -n 3 out; } >got &&
	test_cmp "$WT_SRCDIR/t/data/esp-dry-run.txt" got
'
test_expect_success 'another seed: another order, the same jobs' '
	windtunnel esp --nodes 64 --dry-run --json >one && windtunnel esp --nodes 64 --dry-run --json --seed 2 >two &&
	jq -r ".jobs[].name" one >one.order && jq -r ".jobs[].name" two >two.order &&
	! cmp -s one.order two.order &&
	sort one.order >one.names && sort two.order >two.names && test_cmp one.names two.names
'
test_expect_success '--dry-run --json --unit nodes, and a shape of its own' '
	windtunnel esp --nodes 64 --unit nodes --shape "pack:1 core:4 pu:1" --dry-run --json >out &&
	jq -e ".cpus == 256 and (.jobs | length) == 230 and (.jobs | all(.cpus == .nodes * 4)) and
		(.jobs | map(select(.name | startswith(\"light-esp.A.\"))) | length == 75 and all(.nodes == 2))" out
'
test_expect_success 'parallel-light has 2282 jobs in 14 lanes' '
	windtunnel esp --variant parallel-light --nodes 5040 --dry-run --json >out &&
	jq -e "(.jobs | length) == 2282 and ([.jobs[].lane] | unique | length) == 14 and (.ideal_s * 10 | round) == 9352" out
'
test_expect_success 'a folder that is in use or cannot be written is refused before anything starts' '
	mkdir full && touch full/x &&
	test_expect_code 1 windtunnel esp --nodes 4 --output full 2>err && grep -q "full: the folder is not empty" err &&
	test_expect_code 1 windtunnel esp --nodes 4 --output nowhere/run 2>err && grep -q "nowhere/run: No such file" err &&
	test_expect_code 1 windtunnel esp --nodes 4 --output /proc/run 2>err && grep -q "/proc/run: " err &&
	test ! -e "$WINDTUNNEL_STATE"
'
test_done
