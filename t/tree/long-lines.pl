#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# long-lines.pl < files: those with lines of more than 125 columns (a tab leads to the next multiple of eight), and which.
use strict;
use warnings;

while (my $file = <STDIN>) {
	chomp $file;
	open(my $in, '<:encoding(UTF-8)', $file) or die "$file: $!\n";
	my @long;
	while (<$in>) {
		chomp;
		1 while s/^([^\t]*)\t/$1 . ' ' x (8 - length($1) % 8)/e;
		push @long, $. if length > 125;
	}
	print "$file: lines of more than 125 columns: @long\n" if @long;
}
