#!/bin/sh
test_description='windtunnel profile: where the CPU time of a cluster'"'"'s slurmctld goes'
. "$WT_SRCDIR/t/setup.sh"

test_expect_success 'wrong use, and clusters that are not there' '
	test_expect_code 2 windtunnel profile 2>err && grep "CLUSTER is missing" err &&
	test_expect_code 2 windtunnel profile a b 2>err && grep "one cluster" err &&
	test_expect_code 2 windtunnel profile a --seconds 0 2>err &&
	test_expect_code 2 windtunnel profile a --rate x 2>err &&
	test_expect_code 1 windtunnel profile none >out 2>err && grep "no cluster .none." err && test_line_count = 1 err &&
	wt_empty out
'
# One that each slurmctld of the release has.
thread=bckfl
case $(windtunnel --version) in *"(Slurm 22.05"*) thread=rpcmgr ;; esac
test_expect_success 'threads by name, and their sum' '
	cleanup windtunnel cluster down looked &&
	windtunnel cluster up looked --nodes 64 --quiet &&
	windtunnel cluster exec looked -- sbatch --array=1-1000 --wrap true >out &&
	mkdir tmp home && HOME="$PWD/home" TMPDIR="$PWD/tmp" windtunnel profile looked --seconds 2 --json >json 2>err &&
	wt_empty err &&
	jq -e ".daemon == \"slurmctld\" and .cpu_s > 0 and .wall_s >= 2 and
		([.threads[].cpu_s] | add - $(jq .cpu_s json) | fabs) < 0.001 and
		any(.threads[]; .name == \"$thread\")" json &&
	jq -e "if .functions then .functions_missing == null and .samples > 0 and
		all(.functions[]; .self <= .total and .total <= $(jq .samples json))
		else .functions_missing != null and .samples == 0 end" json &&
	test -z "$(ls tmp; ls -A home)"
'
test_expect_success 'without perf it says so, and threads are told all the same' '
	PATH="$(dirname "$(command -v windtunnel)"):$PWD/nothing" windtunnel profile looked --seconds 1 >out 2>err &&
	wt_empty err && grep "^thread .*CPU s" out && grep "functions are not known: perf: No such file" out &&
	PATH="$(dirname "$(command -v windtunnel)"):$PWD/nothing" test_expect_code 1 windtunnel profile looked --seconds 1 \
		--svg none.svg >out 2>err && grep "no stacks to be written: perf" err && test ! -e none.svg
'
test_expect_success 'a TMPDIR that is too long, or not there, is told, and nothing in it is touched' '
	TMPDIR="/$(printf "%04100d" 0)" windtunnel profile looked --seconds 1 >out 2>err && wt_empty err &&
	grep "functions are not known: TMPDIR: a folder for perf: File name too long" out &&
	TMPDIR="$PWD/gone" windtunnel profile looked --seconds 1 >out 2>err && wt_empty err &&
	grep "TMPDIR: a folder for perf: No such file" out
'
# What perf says is the machine'"'"'s whim: here it is always the same.
perf_plant() {
	mkdir -p planted && cat >planted/perf <<-EOF && chmod +x planted/perf
	#!/bin/sh
	$1
	EOF
}
looks() { PATH="$PWD/planted:$PATH" TMPDIR="$PWD/tmp" windtunnel profile looked --seconds 1 "$@"; }
test_expect_success 'functions, stacks and the flame graph' '
	perf_plant "test \$1 = script || exit 0
		printf \"bckfl 1 \\\\n\\\\t1 inner (/a/b.so)\\\\n\\\\t2 [unknown] (/a/slurmctld)\\\\n\\\\n\"
		printf \"rpc 2 \\\\n\\\\t1 <b> (/a/b.so)\\\\n\\\\n\"" &&
	looks --svg f.svg --stacks f.txt >out 2>err && wt_empty err && grep "^2 samples" out &&
	grep "^inner  *50.0  *50.0\$" out && grep "^\[slurmctld\]  *0.0  *50.0\$" out &&
	printf "bckfl;[slurmctld];inner 1\nrpc;<b> 1\n" >want && test_cmp want f.txt &&
	xmllint --noout f.svg && grep "<title>&lt;b&gt;: 50.0 %</title>" f.svg && test -z "$(ls tmp)"
'
test_expect_success 'a perf that may not look is quoted' '
	perf_plant "echo Error: >&2; echo \"Access to performance monitoring is limited.\" >&2; exit 255" &&
	looks --json >json 2>err && wt_empty err && jq -e ".functions == null and .cpu_s >= 0 and
		(.functions_missing | test(\"perf record fails: Access to performance\"))" json && test -z "$(ls tmp)"
'
test_expect_success 'a full disk is told: of what it prints, and of what it writes' '
	perf_plant "test \$1 = script || exit 0; printf \"rpc 2 \\n\\t1 b (/a/b.so)\\n\\n\"" &&
	test_expect_code 1 looks >/dev/full 2>err && test_line_count = 1 err && grep "standard output" err &&
	test_expect_code 1 looks --json >/dev/full 2>err && test_line_count = 1 err && grep "standard output" err &&
	for option in --svg --stacks; do
		test_expect_code 1 looks $option /dev/full 2>err && test_line_count = 1 err &&
		grep "/dev/full: cannot write: No space left" err || return 1
	done
'
# So fails the real one as long as threads end while it reads what threads there are.
test_expect_success 'a perf that fails without a word is run again, and is told as such in the end' '
	perf_plant "test \$1 = script && exit 0
		echo >>tried; test \$(wc -l <tried) -ge 4 || exit 255" &&
	looks >out 2>err && wt_empty err && grep "^0 samples" out && test_line_count = 4 tried &&
	perf_plant "exit 255" && looks >out 2>err && wt_empty err &&
	grep "functions are not known: perf record fails without a word" out && test -z "$(ls tmp)"
'
# mounted COMMAND: with a file system of 64 KiB on the folder disk.
mounted() { mkdir -p disk && unshare -m sh -c "mount -t tmpfs -o size=64k tmpfs disk && $1"; }
mounted true && test_set_prereq MOUNT
test_expect_success MOUNT 'a full TMPDIR, on which perf cannot say what is wrong' '
	perf_plant "dd if=/dev/zero of=\"\$TMPDIR\"/fill bs=4k 2>&-; echo no room >&2; exit 255" &&
	mounted "PATH=\"$PWD/planted:$PATH\" TMPDIR=\"$PWD/disk\" windtunnel profile looked --seconds 1" >out 2>err &&
	wt_empty err && grep "not known: perf record fails: .*No space left" out
'
test_expect_success 'Ctrl-C ends it, with what was seen' '
	perf_plant "test \$1 = script && exit 0
		trap \"exit 130\" INT; : >recording; i=0; while test \$i -lt 600; do sleep 0.1; i=\$((i + 1)); done" &&
	{ looks --seconds 600 >out 2>err & } && pid=$! && wt_poll 60 test -e recording &&
	kill -TERM "$(pgrep -P $pid -x windtunnel || echo $pid)" && wait $pid && grep "^0 samples" out && test -z "$(ls tmp)"
'
test_expect_success 'a slurmctld that is stopped is named' '
	windtunnel cluster stop looked slurmctld && test_expect_code 1 windtunnel profile looked 2>err &&
	grep "its slurmctld does not run" err
'
test_done
