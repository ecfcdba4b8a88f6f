#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# version-lines.pl FEATURES.H MAKEFILE.AM... < files: what the differences among releases of Slurm cost, as a table of
# Markdown: for each release that brought one the lines that are compiled from it on only, and those before it only.  A line
# counts for its innermost condition, the first feature of it; empty lines do not count.  Whole files are those that a
# Makefile.am lists below "if FEATURE".
use strict;
use warnings;

my ($features, @makefiles) = @ARGV;
my (%since, %flip, %count, %from, %before, %file_from, %file_before);	# of features; of releases

sub lines_of { my ($file) = @_; open my $in, '<', $file or die "$file: $!\n"; my @lines = <$in>; return @lines }

# "#if WT_SLURM_SINCE(23, 2)", its features, "#else", those that ended with it.
my ($release, $ended);
for (lines_of($features)) {
	if (/^#if WT_SLURM_SINCE\((\d+), (\d+)\)/) { ($release, $ended) = (sprintf('%d.%02d', $1, $2), 0) }
	elsif (/^#else/) { $ended = 1 }
	elsif (/^#endif/) { undef $release }
	elsif (/^#define (WT_HAVE_\w+)/) {
		die "$features: $1 stands under no release\n" unless defined $release;
		($since{$1}, $flip{$1}) = ($release, $ended);
		$count{$release}++;
	}
}
die "$features: no features\n" unless %since;

sub features_of { return grep { $since{$_} } $_[0] =~ /\b(WT_HAVE_\w+)/g }

# Of a condition: the feature, and whether its lines are of releases before it.
sub side { my ($name, $not) = @_; return [$name, $flip{$name} ^ $not] }
while (my $file = <STDIN>) {
	chomp $file;
	next if $file eq $features;
	my @stack;
	for (lines_of($file)) {
		if (/^\s*#\s*(if|ifdef|ifndef|elif)\b(.*)/) {
			my ($word, $rest) = ($1, $2);
			my ($name) = features_of($rest);
			my $not = $word eq 'ifndef' || $rest =~ /^\s*!\s*defined/ ? 1 : 0;
			pop @stack if $word eq 'elif';
			push @stack, $name ? side($name, $not) : undef;
		} elsif (/^\s*#\s*else\b/) {
			$stack[-1] = [$stack[-1][0], !$stack[-1][1]] if $stack[-1];
		} elsif (/^\s*#\s*endif\b/) {
			pop @stack;
		} elsif (/\S/) {
			my ($inner) = grep { defined } reverse @stack;
			next unless $inner;
			my ($name, $old) = @$inner;
			($old ? \%before : \%from)->{$since{$name}}++;
		}
	}
}

for my $makefile (@makefiles) {
	my (%variable, @stack);
	my $text = join '', lines_of($makefile);
	$text =~ s/\\\n/ /g;
	for (split /\n/, $text) {
		if (/^if (!?)(\w+)/) { push @stack, $since{"WT_HAVE_$2"} ? side("WT_HAVE_$2", $1 ? 1 : 0) : undef }
		elsif (/^else/) { $stack[-1] = [$stack[-1][0], !$stack[-1][1]] if $stack[-1] }
		elsif (/^endif/) { pop @stack }
		elsif (/^(\w+)\s*\+?=\s*(.*)/) {
			my ($name, $value) = ($1, $2);
			$value =~ s/\$\((\w+)\)/$variable{$1} \/\/ ''/ge;
			$variable{$name} .= " $value";
			my ($inner) = grep { defined } reverse @stack;
			next unless $inner && $name =~ /_SOURCES$/;
			my $files = $inner->[1] ? \%file_before : \%file_from;
			$files->{$since{$inner->[0]}} += grep { /^[^.]\S*\.c$/ } split ' ', $value;
		}
	}
}

print '| release | features that come or go with it | lines from it on | lines before it |',
	" whole .c files from it on | before it |\n";
print "|---|---|---|---|---|---|\n";
my @total = (0) x 5;
for my $r (sort keys %count) {
	my @row = ($count{$r}, $from{$r} // 0, $before{$r} // 0, $file_from{$r} // 0, $file_before{$r} // 0);
	$total[$_] += $row[$_] for 0 .. 4;
	print '| ' . join(' | ', $r, @row) . " |\n";
}
print '| ' . join(' | ', 'all', @total) . " |\n";
