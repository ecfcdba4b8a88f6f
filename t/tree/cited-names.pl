#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# cited-names.pl FOREIGN FILE...: the files and functions that comments and pages cite and that are nowhere among FILEs;
# a renaming leaves such names behind.  FOREIGN lists those of Slurm and of others, and is checked in turn.
use strict;
use warnings;

# Its code and its comments, apart.  Strings stay in the code, so that a comment's sign within them begins nothing.
sub divide {
	my ($text) = @_;
	my $comments = '';
	$text =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(/\*.*?\*/)|//([^\n]*)}
		{ if (defined $1) { $1 } else { $comments .= (defined $2 ? $2 : $3) . "\n"; ' ' } }gse;
	return ($text, $comments);
}

my (%file, %word, %foreign, %cited, @prose);
open my $list, '<', shift or die "cited-names.pl: $!\n";
/^([^\s#]+)/ and $foreign{$1} = 1 while <$list>;
for my $name (@ARGV) {
	open my $in, '<', $name or die "$name: $!\n";
	my $text = do { local $/; <$in> };
	(my $base = $name) =~ s{.*/}{};
	$file{$base} = 1;
	if ($name =~ /\.[ch]$/) {
		(my $code, $text) = divide($text);
		$word{$1} = 1 while $code =~ /([A-Za-z_]\w*)/g;
	}
	push @prose, [$name, $text];
}
for (@prose) {
	my ($name, $text) = @$_;
	while ($text =~ m{(?<![\w/.<>*-])(?:[\w-]+/)*([\w-]+\.[ch])\b(?![\w/.])}g) {
		$cited{$1}{$name} = 1 if !$file{$1};
	}
	while ($text =~ /\b([a-z]\w*_\w+) ?\(\)/g) {
		$cited{"$1()"}{$name} = 1 if !$word{$1};
	}
}
for my $what (sort keys %cited) {
	print "$_: $what\n" for $foreign{$what} ? () : sort keys %{ $cited{$what} };
}
print "nothing cites $_\n" for grep { !$cited{$_} } sort keys %foreign;
