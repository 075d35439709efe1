# Claims: what the five documents say, as data, docs/claims/claims.txt.
#
# A claim is a paragraph of keys. A long value goes on in lines that begin with a space; a line that
# begins with # is for whoever reads the file.
#
#     claim: fixed-rate-never-overlaps      its name
#     in: 000 (18); 002 Scheduled tasks     where it is made: document and section, the first first
#     says: Runs of ...                     the claim, in one sentence of ours
#     says.zh: ...                          the same in Chinese
#     verdict: holds                        one of @verdicts, below
#     note: ...                             what else there is to say; may be missing, with
#     note.zh: ...                          the same in Chinese
#     shown: test scheduled_periodic runs_* the command; that it succeeds is what bears out the
#                                           verdict: of a claim that is wrong it shows the opposite
#     flip: mutant periodic-requeued-...    what makes the command fail
#
# Commands:
#
#     test SUITE TEST                       tests of the conformance program; TEST may be a glob
#     explore SCENARIO [OPTION...]          a race on the explorer
#     java PROGRAM [ARGUMENT...]            docs/claims/PROGRAM.java, on the JDK at hand
#     cron ARGUMENT... = TEXT               what glasspool-cron prints has the text in it
#     bench COUNTER of BENCH is below FACTOR of BENCH       a bench that counts; or
#     bench COUNTER of BENCH is at least NUMBER
#
# Flips:
#
#     mutant NAME                           a bug of stress/mutants/ in the library
#     change FILE: OLD -> NEW               the text OLD, which stands in FILE once, replaced in it
#     command OLD -> NEW                    the same in the command
package Claims;

use strict;
use warnings;
use FindBin qw($Bin);
use lib "$Bin/../../stress/museum";
use Mutant qw(slurp);
use Exporter 'import';

our @EXPORT_OK = qw(claims verdicts typed flipped);

my $file = 'docs/claims/claims.txt';
my @required = qw(claim in says says.zh verdict shown flip);
my %known = map { $_ => 1 } @required, 'note', 'note.zh';
my @verdicts = ('holds', 'holds here, differs in Java', 'wrong', 'depends on the JDK version',
    'settled: the document left it open');

my @commands = (qr/^test \S+ \S+$/, qr/^explore \S+( .*)?$/, qr/^java \S+( .*)?$/,
    qr/^cron .* = .+$/, qr/^bench \S+ of \S+ is (below [\d.]+ of \S+|at least [\d.]+)$/);

sub verdicts { return @verdicts }

sub claim_of { # PARAGRAPH
    my ($paragraph) = @_;
    my %claim;
    for my $line (split /\n(?! )/, $paragraph) {
        next if $line =~ /^#/;
        $line =~ s/(?<=[^\0-\x7f])\n +(?=[^\0-\x7f])//g; # Chinese has no spaces
        $line =~ s/\n +/ /g;
        my ($key, $value) = $line =~ /^([a-z.]+): (.*\S)\s*$/ or die "$file: not a key: $line\n";
        die "$file: nobody knows the key '$key'\n" unless $known{$key};
        $claim{$key} = $value;
    }
    complain(\%claim) if %claim;
    return %claim ? \%claim : ();
}

sub complain { # dies of what is wrong with it
    my ($claim) = @_;
    my $name = $claim->{claim} // 'one without a name';
    for my $key (@required) {
        die "$file: $name has no $key\n" unless $claim->{$key};
    }
    die "$file: $name has a note in one language only\n"
        if defined $claim->{note} != defined $claim->{'note.zh'};
    die "$file: $name: there is no verdict '$claim->{verdict}'\n"
        unless grep { $_ eq $claim->{verdict} } @verdicts;
    die "$file: $name: no document: $claim->{in}\n" unless $claim->{in} =~ /^00[0-4] /;
    die "$file: $name: no such command: $claim->{shown}\n"
        unless grep { $claim->{shown} =~ $_ } @commands;
    flipped($claim) if $claim->{flip} =~ /^command /;
    die "$file: $name: no such flip: $claim->{flip}\n"
        unless $claim->{flip} =~ /^(mutant \S+|change \S+: .+ -> .*|command .+ -> .*)$/;
    my ($mutant) = $claim->{flip} =~ /^mutant (\S+)/;
    die "$file: $name: there is no mutant $mutant\n"
        if defined $mutant && !-e "stress/mutants/$mutant.patch";
}

sub claims { # all of them, in their order
    my @claims = map { claim_of($_) } split /\n\n+/, slurp($file);
    my %seen;
    for my $claim (@claims) {
        die "$file: $claim->{claim} is there twice\n" if $seen{$claim->{claim}}++;
    }
    return @claims;
}

# As a person types it.

sub quoted { return $_[0] =~ /[*?\s'"(|]/ ? "'$_[0]'" : $_[0] }

sub typed { # COMMAND
    my ($kind, $rest) = split ' ', $_[0], 2;
    my @words = split ' ', $rest;
    return "make test SUITE=$words[0] TEST=" . quoted($words[1]) if $kind eq 'test';
    return "java docs/claims/$words[0].java @words[1 .. $#words]" =~ s/ $//r if $kind eq 'java';
    return 'glasspool-cron ' . $rest =~ s/ = .*//r if $kind eq 'cron';
    return "make bench BENCH=" . quoted(join '|', grep { m{/} } @words) if $kind eq 'bench';
    my $options = @words > 1 ? " ARGS='@words[1 .. $#words]'" : '';
    return "make explore SCENARIO=$words[0]$options";
}

# The command of a claim whose flip is another command.

sub flipped { # CLAIM
    my ($claim) = @_;
    my ($old, $new) = $claim->{flip} =~ /^command (.+?) -> (.*)$/
        or die "$file: $claim->{claim}: no such flip\n";
    my $command = $claim->{shown};
    my $count = () = $command =~ /\Q$old\E/g;
    die "$file: $claim->{claim}: '$old' is not in its command once\n" if $count != 1;
    return $command =~ s/\Q$old\E/$new/r;
}

1;
