#!/bin/sh
test_description='windtunnel: the command itself'
. "$WT_SRCDIR/t/setup.sh"

test_expect_success '--version names Slurm, too' '
	windtunnel --version >out &&
	grep -q "^windtunnel [0-9.]* (Slurm [0-9.]*)$" out
'
test_expect_success '--help lists the verbs' '
	windtunnel --help >out &&
	grep -q "^  cluster " out && grep -q "^  esp " out
'
test_expect_success 'an unknown verb is refused with one line' '
	test_expect_code 2 windtunnel nonsense 2>err &&
	test_line_count = 1 err && grep -q "nonsense.*--help" err
'
test_done
