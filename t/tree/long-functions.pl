#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# long-functions.pl < files: functions of 40 lines and more between their braces, and braces of functions that do not stand
# alone in the first column, by which they are found.
use strict;
use warnings;

while (my $file = <STDIN>) {
	chomp $file;
	open(my $in, '<', $file) or die "$file: $!\n";
	my $begin;
	while (<$in>) {
		print "$file:$.: a brace of a function stands alone, in the first column\n"
			if m,^\{.|^\}[ \t\r]+(/|$)|^\w.*\)\s*\{\s*(/[/*].*)?$,;
		$begin = $. if /^\{$/;
		next unless /^\}$/ && $begin;
		my $lines = $. - $begin - 1;
		print "$file:", $begin, ": a function of $lines lines\n" if $lines >= 40;
		undef $begin;
	}
}
