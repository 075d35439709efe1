# Record: stress/mutants/record, what the last complete run has found of each mutant.
#
# A line each: name, what it was found with, the program that killed it, by what, after how much,
# and the token that replays it; separated by tabs. What it was found with is a digest of the patch,
# of the files that it changes and of the race that kills it: if that is another one now, the mutant
# has changed. The page of the museum is made from this, and what CI runs first.
package Record;

use strict;
use warnings;
use Digest::SHA qw(sha1_hex);
use List::Util qw(uniq);
use Exporter 'import';
use Mutant qw(killers slurp spew);

our @EXPORT_OK = qw(content_key read_record write_record);

my $file = 'stress/mutants/record';
my @columns = qw(mutant content program by effort token);

sub race_files { # KILLER: where a scenario's family is
    my ($killer) = @_;
    return glob 'harness/conformance/' . ($killer =~ s/^suite //r) . '*.c' if $killer =~ /^suite /;
    return glob 'stress/' . ($killer =~ s{/.*}{}r) . '*.[ch]';
}

sub content_key {
    my ($mutant) = @_;
    my @files = uniq map { $_->{file} } @{$mutant->{hunks}};
    return substr sha1_hex(map { slurp($_) } grep { -e } $mutant->{file}, @files,
        map { race_files($_) } killers($mutant)), 0, 12;
}

sub read_record { # {name => {column => value}}
    my %record;
    return \%record unless -e $file;
    for my $line (grep { !/^#/ } split /\n/, slurp($file)) {
        my %row;
        @row{@columns} = split /\t/, $line, -1;
        $record{$row{mutant}} = \%row;
    }
    return \%record;
}

sub write_record { # ROW...
    my @lines = map { my $row = $_; join "\t", map { $row->{$_} // '' } @columns }
        sort { $a->{mutant} cmp $b->{mutant} } @_;
    spew($file, join "\n", '# ' . join("\t", @columns), @lines, '');
}

1;
