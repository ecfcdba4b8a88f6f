#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# long-functions.pl < files: functions of 40 lines and more between their braces, which stand in the first column.
use strict;
use warnings;

while (my $file = <STDIN>) {
	chomp $file;
	open(my $in, '<', $file) or die "$file: $!\n";
	my $begin;
	while (<$in>) {
		$begin = $. if /^\{$/;
		next unless /^\}$/ && $begin;
		my $lines = $. - $begin - 1;
		print "$file:", $begin, ": a function of $lines lines\n" if $lines >= 40;
		undef $begin;
	}
}
