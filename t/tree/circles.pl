#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# circles.pl SOURCE-DIR BUILD-DIR FOLDER...: object files of one folder that need each other in a circle, found from their
# symbols by nm(1).  An object whose source is gone, which a build folder keeps, does not count.
# Prints a line for each circle, and below it the symbols that make it; last how many objects were looked at.
use strict;
use warnings;
use File::Find;

my ($sources, $build, @tops) = @ARGV;
chdir $build or die "$build: $!\n";
my %rooms;	# folder -> object -> { defined => {}, needed => {} }
sub object_take {
	return unless /\.o$/ && !/(^|-)(test|fuzz|bench)_/;
	my $folder = $File::Find::dir =~ s,/\.libs$,,r;
	my $name = s/^.*-//r;
	return if $rooms{$folder}{$name};
	my $source = "$folder/$name" =~ s/\.o$/.c/r;
	return unless grep { -e "$_/$source" } $sources, $build;	# some are made by the build
	my $object = $rooms{$folder}{$name} = { defined => {}, needed => {} };
	open(my $nm, '-|', 'nm', $_) or die "nm: $!\n";
	while (<$nm>) {
		my @field = split;
		if (@field == 3 && $field[1] =~ /^[TDBRVWC]$/) { $object->{defined}{$field[2]} = 1 }
		elsif (@field == 2 && $field[0] =~ /^[Uw]$/) { $object->{needed}{$field[1]} = 1 }
	}
}
find({ wanted => \&object_take, follow => 0 }, grep { -d } @tops);

# Tarjan's strongly connected components of one folder's objects.
my ($graph, %index, %low, @stack, %on_stack, @found, $count);
sub connect_from {
	my ($v) = @_;
	$index{$v} = $low{$v} = $count++;
	push @stack, $v;
	$on_stack{$v} = 1;
	for my $w (sort keys %{$graph->{$v}}) {
		if (!defined $index{$w}) {
			connect_from($w);
			$low{$v} = $low{$w} if $low{$w} < $low{$v};
		} elsif ($on_stack{$w}) {
			$low{$v} = $index{$w} if $index{$w} < $low{$v};
		}
	}
	return if $low{$v} != $index{$v};
	my @component;
	do { push @component, my $w = pop @stack; delete $on_stack{$w} } until $component[-1] eq $v;
	push @found, [sort @component] if @component > 1;
}

for my $folder (sort keys %rooms) {
	my $objects = $rooms{$folder};
	my %owner;
	for my $name (sort keys %$objects) { $owner{$_} //= $name for keys %{$objects->{$name}{defined}} }
	($graph, $count) = ({}, 0);
	(%index, %low, @stack, %on_stack, @found) = ();
	for my $name (keys %$objects) {
		$graph->{$name} = {};
		for my $symbol (sort keys %{$objects->{$name}{needed}}) {
			my $other = $owner{$symbol} // next;
			push @{$graph->{$name}{$other}}, $symbol if $other ne $name;
		}
	}
	defined $index{$_} or connect_from($_) for sort keys %$graph;
	for my $circle (@found) {
		print "$folder: @$circle\n";
		my %inside = map { $_ => 1 } @$circle;
		for my $from (@$circle) {
			print "  $from needs $_ for @{$graph->{$from}{$_}}\n"
				for grep { $inside{$_} } sort keys %{$graph->{$from}};
		}
	}
}
print "objects: ", scalar(map { keys %$_ } values %rooms), "\n";
