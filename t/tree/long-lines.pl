#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# long-lines.pl ALLOWED.TXT < files: those with more lines of over 125 columns (a tab leads to the next multiple of eight)
# than ALLOWED.TXT lets them have ("file count"; none: 0).
use strict;
use warnings;

my %allowed;
open(my $list, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
while (<$list>) { $allowed{$1} = $2 if /^([^#\s]+) (\d+)$/ }
while (my $file = <STDIN>) {
	chomp $file;
	open(my $in, '<:encoding(UTF-8)', $file) or die "$file: $!\n";
	my @long;
	while (<$in>) {
		chomp;
		1 while s/^([^\t]*)\t/$1 . ' ' x (8 - length($1) % 8)/e;
		push @long, $. if length > 125;
	}
	my $may = $allowed{$file} // 0;
	print "$file: ", scalar @long, " lines of more than 125 columns, $may are allowed: @long\n" if @long > $may;
}
