# Mutant: a bug of the library as a file, stress/mutants/NAME.patch: a header and a unified diff.
#
#     mutant: leader-not-cleared            the file's name
#     source: JDK-6609775                   where it happened; "ours": thought up
#     kind: dropped hand-over
#     concerns: concurrency                 it takes an interleaving; or "sequence"
#     killed by: delayed_leader/title_taken_away
#                                           a scenario, or "suite NAME" of the conformance program;
#                                           several, each of which kills it: separated by ", "
#
#     What goes wrong, in a paragraph.
#
#     lesson: What it teaches.
#
#     --- a/impl/queue/delayed.c
#     ...
#
# A long value goes on in lines that begin with a space. Further keys, where they apply:
#
#     memory: c11            only this model of memory shows it: under sc it must survive
#     explore: --faults ...  further arguments for the explorer
#     native only: WHY       the explorer cannot show it
#     explored only: WHY     real threads cannot, or hardly ever
#     equivalent: WHY        it is no bug; it must survive
#     widened: HOW           what the change does only so that real threads come into the gap
#
# A hunk applies where its old lines stand, context included, and nowhere else; where that is does
# not matter. What has moved or changed around it is for refresh.
package Mutant;

use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use Exporter 'import';

our @EXPORT_OK = qw(mutants killers trials suite_of explorer_options read_mutant apply_mutant
    refresh_mutant diff_of hunks_of glob_pattern slurp spew);

my @required = ('mutant', 'source', 'kind', 'concerns', 'killed by');
my @optional = ('memory', 'explore', 'native only', 'explored only', 'equivalent', 'widened');
my @kinds = ('weaker order', 'dropped signal', 'dropped re-check', 'lost atomicity', 'shorter lock',
    'boundary', 'wrong order', 'dropped hand-over', 'lost ownership', 'wrong clock',
    'missing limit', 'unguarded state', 'ignored result');
my $context = 3; # lines around a change

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

sub spew {
    my ($file, $text) = @_;
    make_path(dirname($file));
    open my $out, '>', $file or die "$file: $!\n";
    print $out $text;
    close $out or die "$file: $!\n";
}

sub glob_pattern { # GLOB with * and ?
    my ($glob) = @_;
    return join '', '^', (map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split //, $glob),
        '$';
}

# Reading.

sub mutants { # GLOB: all whose names match, by name
    my ($glob) = @_;
    my $pattern = glob_pattern($glob);
    return map { read_mutant($_) }
        grep { basename($_, '.patch') =~ /$pattern/ } sort glob 'stress/mutants/*.patch';
}

sub parts { # FILE: its header, and its diff, which may be as git writes it
    return split /^(?=diff --git |--- )/m, slurp($_[0]), 2;
}

sub read_mutant {
    my ($file) = @_;
    my ($head, $diff) = parts($file);
    my ($keys, @paragraphs) = split /\n\n+/, $head;
    my $mutant = {file => $file, diff => $diff};
    for my $line (split /\n(?! )/, $keys) {
        $line =~ s/\n +/ /g;
        my ($key, $value) = $line =~ /^([a-z ]+): (.*)$/ or die "$file: not a key: $line\n";
        $mutant->{$key} = $value;
    }
    ($mutant->{lesson}) = map { s/^lesson: //r } grep { /^lesson: / } @paragraphs;
    $mutant->{mechanism} = join "\n\n", grep { !/^lesson: / } @paragraphs;
    $mutant->{hunks} = hunks_of($diff // '');
    s/\s+$// for grep { defined } @{$mutant}{qw(lesson mechanism)};
    complain($mutant);
    return $mutant;
}

sub killers { # MUTANT, or a trial of it: all that have to kill it
    my ($mutant) = @_;
    return split /, /, $mutant->{killers} // $mutant->{'killed by'};
}

sub trials { # MUTANT...: one for each that has to kill it, with that one alone
    return map { my $mutant = $_;
        map { {%$mutant, 'killed by' => $_, killers => $mutant->{'killed by'}} } killers($mutant) }
        @_;
}

sub suite_of { # TRIAL: the suite that has to kill it, or undef: a scenario has to
    my ($trial) = @_;
    return $trial->{'killed by'} =~ /^suite (\S+)$/ ? $1 : undef;
}

sub explorer_options { # MUTANT: those that the explorer needs to show it
    my ($mutant) = @_;
    return (split(' ', $mutant->{explore} // ''),
        $mutant->{memory} ? ('--memory', $mutant->{memory}) : ());
}

sub complain { # dies of what is wrong with it
    my ($mutant) = @_;
    my $file = $mutant->{file};
    my %known = map { $_ => 1 } @required, @optional, qw(file diff hunks lesson mechanism);
    for my $key (@required, 'lesson') {
        die "$file: has no $key\n" unless $mutant->{$key};
    }
    for my $key (keys %$mutant) {
        die "$file: nobody knows the key '$key'\n" unless $known{$key};
    }
    die "$file: does not say what goes wrong\n" unless $mutant->{mechanism};
    die "$file: is called $mutant->{mutant}\n"
        unless basename($file, '.patch') eq $mutant->{mutant};
    die "$file: kind cannot be '$mutant->{kind}', only one of: ", join(', ', @kinds), "\n"
        unless grep { $_ eq $mutant->{kind} } @kinds;
    die "$file: concerns is either concurrency or sequence\n"
        unless $mutant->{concerns} =~ /^(concurrency|sequence)$/;
    die "$file: has no change\n" unless @{$mutant->{hunks}};
    die "$file: yields, and does not say what for: widened\n"
        if $mutant->{diff} =~ /^\+.*sched_yield/m && !$mutant->{widened};
}

sub hunks_of { # DIFF: [{file, line, lines => [each with its sign]}]
    my ($diff) = @_;
    my (@hunks, $file);
    for my $line (split /\n/, $diff) {
        next if $line =~ m{^--- a/\S+$}; # of the next file
        if ($line =~ m{^\+\+\+ b/(\S+)}) {
            $file = $1;
        } elsif ($line =~ /^@@ -(\d+)/) {
            push @hunks, {file => $file, line => $1, lines => []};
        } elsif (@hunks && $line =~ /^[ +-]/) {
            push @{$hunks[-1]{lines}}, $line;
        }
    }
    return \@hunks;
}

# Applying.

sub lines_of { # HUNK SIGNS: its lines that have one of these, without it
    my ($hunk, $signs) = @_;
    return map { substr $_, 1 } grep { /^[$signs]/ } @{$hunk->{lines}};
}

sub places { # TEXT LINES: where they stand in it, as indices
    my ($text, @wanted) = @_;
    my @found;
    for my $start (0 .. @$text - @wanted) {
        my $same = 1;
        for my $i (0 .. $#wanted) {
            $same = 0, last if $text->[$start + $i] ne $wanted[$i];
        }
        push @found, $start if $same;
    }
    return @found;
}

sub narrowed { # HUNK AROUND: with so many lines of context only
    my ($hunk, $around) = @_;
    my @lines = @{$hunk->{lines}};
    my ($first) = grep { $lines[$_] !~ /^ / } 0 .. $#lines;
    my ($last) = grep { $lines[$_] !~ /^ / } reverse 0 .. $#lines;
    my $from = $first > $around ? $first - $around : 0;
    my $to = $last + $around < $#lines ? $last + $around : $#lines;
    return {%$hunk, lines => [@lines[$from .. $to]]};
}

sub whereabouts { # TEXT HUNK: what there is to say of lines that are not where they were
    my ($text, $hunk) = @_;
    my @old = lines_of($hunk, '-');
    my @places = @old ? places($text, @old) : ();
    return 'it is now at line ' . ($places[0] + 1) . ', with other lines around it' if @places == 1;
    return 'it is there ' . @places . ' times' if @places;
    return @old ? 'it is gone' : 'the lines around it have changed';
}

sub apply_hunk { # TEXT HUNK AROUND
    my ($text, $hunk, $around) = @_;
    my $narrow = narrowed($hunk, $around);
    my @old = lines_of($narrow, ' -');
    my @places = places($text, @old);
    my ($line) = (lines_of($hunk, '-'), lines_of($hunk, '+'));
    die "$hunk->{file}:$hunk->{line}: " . whereabouts($text, $hunk) . ": $line\n" if @places != 1;
    splice @$text, $places[0], scalar @old, lines_of($narrow, ' +');
}

sub changed_texts { # MUTANT AROUND: file => text
    my ($mutant, $around) = @_;
    my %texts;
    for my $hunk (@{$mutant->{hunks}}) {
        my $text = $texts{$hunk->{file}} //= [split /\n/, slurp($hunk->{file}), -1];
        eval { apply_hunk($text, $hunk, $around); 1 } or die "$mutant->{file}: $@";
    }
    return map { $_ => join "\n", @{$texts{$_}} } keys %texts;
}

sub apply_mutant { # MUTANT COPY: writes the changed files below COPY; their names
    my ($mutant, $copy) = @_;
    my %texts = changed_texts($mutant, $context);
    spew("$copy/$_", $texts{$_}) for keys %texts;
    return sort keys %texts;
}

# Refreshing.

sub diff_of { # FILE COPY: how the one below COPY differs
    my ($file, $copy) = @_;
    return scalar `diff -U$context --label a/$file --label b/$file $file $copy/$file`;
}

sub refresh_mutant { # MUTANT COPY: rewrites its file; false: there was no need
    my ($mutant, $copy) = @_;
    my %texts;
    for my $around (reverse 0 .. $context) {
        %texts = eval { changed_texts($mutant, $around) };
        last unless $@;
        die $@ if $around == 0;
    }
    spew("$copy/$_", $texts{$_}) for keys %texts;
    my $diff = join '', map { diff_of($_, $copy) } sort keys %texts;
    return 0 if $diff eq $mutant->{diff};
    my ($head) = parts($mutant->{file});
    spew($mutant->{file}, $head . $diff);
    return 1;
}

1;
