# Tables: results of mutants, for people and for programs.
package Tables;

use strict;
use warnings;
use JSON::PP ();
use Exporter 'import';
use Mutant qw(spew);

our @EXPORT_OK = qw(print_progress print_result print_score score write_json write_junit);

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return @sorted ? $sorted[@sorted / 2] : 0;
}

sub told { # RESULT: the remark behind its name
    my ($result) = @_;
    return "because $result->{reason}" if $result->{state} =~ /skipped|broken/;
    my $after = join ', ', grep { defined } $result->{effort}, sprintf '%.1f s', $result->{seconds};
    return "of \"$result->{reason}\", after $after" unless $result->{by};
    return "by $result->{'killed by'}: $result->{by}, after $after"
        . ($result->{token} ? "   $result->{token}" : '');
}

# On a terminal: how far it has come, in a line that the next result takes the place of.
sub print_progress { # DONE ALL
    printf "\r\e[K%d of %d", @_ if -t STDOUT;
}

sub print_result { # RESULT [known]
    my ($result, $known) = @_;
    print "\r\e[K" if -t STDOUT;
    my $state = $result->{state} =~ /survived|broken/ ? uc $result->{state} : $result->{state};
    printf "%-10s %s   %s%s\n", $state, $result->{mutant}, told($result),
        $known ? '   (known)' : '';
}

sub number { return $_[0] =~ /^([\d,]+)/ ? $1 =~ tr/,//dr : 0 }

# A mutant that several have to kill counts once, and survives if one of them lets it live.
sub by_mutant { # RESULTS
    my %worst;
    for my $result (@{$_[0]}) {
        my $name = $result->{mutant};
        $worst{$name} = $result if !$worst{$name} || $result->{state} =~ /survived|broken/;
    }
    return [map { $worst{$_} } sort keys %worst];
}

sub score { # RESULTS: counts, and what of concurrency the explorer has killed
    my $results = by_mutant($_[0]);
    my %count = map { my $state = $_; $state => scalar grep { $_->{state} eq $state } @$results }
        qw(killed survived skipped equivalent broken);
    my @racing = grep { $_->{concerns} eq 'concurrency' && $_->{state} =~ /killed|survived/ }
        @$results;
    my @explored = grep { ($_->{program} // '') eq 'explore' && $_->{token} } @racing;
    return {%count, racing => scalar @racing, explored => scalar @explored,
        median => median(map { number($_->{effort} // '') } @explored)};
}

sub print_score { # RESULTS SECONDS: true if nothing is left to do
    my ($results, $seconds) = @_;
    my $score = score($results);
    my @left = grep { $_->{state} eq 'survived' } @$results;
    print "\r\e[K" if -t STDOUT;
    print_result($_) for @left;
    printf "of %d that concern concurrency the explorer has killed %d (%.1f%%), half of them after "
        . "at most %d executions\n", $score->{racing}, $score->{explored},
        100 * $score->{explored} / $score->{racing}, $score->{median}
        if $score->{racing} && $score->{explored};
    print "a token is repeated with make break MUTANT=NAME REPLAY=TOKEN\n"
        if grep { $_->{token} } @$results;
    printf "%d equivalent, %.0f s\n", $score->{equivalent}, $seconds;
    my $survived = $score->{survived} + $score->{broken};
    printf "%d killed, %d survived, %d skipped\n", $score->{killed}, $survived, $score->{skipped};
    return $survived == 0;
}

sub write_json { # FILE RESULTS
    my ($file, $results) = @_;
    spew($file, JSON::PP->new->canonical->pretty->encode({score => score($results),
        mutants => $results}));
}

sub markup { return $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr =~ s/"/&quot;/gr }

sub write_junit { # FILE RESULTS SECONDS
    my ($file, $results, $seconds) = @_;
    my $score = score($results);
    my $text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    $text .= sprintf "  <testsuite name=\"museum\" tests=\"%d\" failures=\"%d\" errors=\"0\""
        . " skipped=\"%d\" time=\"%.0f\">\n", scalar @$results,
        $score->{survived} + $score->{broken}, $score->{skipped}, $seconds;
    for my $result (@$results) {
        my $told = markup(told($result));
        $text .= "    <testcase classname=\"museum\" name=\"$result->{mutant}\">";
        $text .= $result->{state} eq 'skipped' ? "<skipped message=\"$told\"/>"
            : $result->{state} =~ /killed|equivalent/ ? "<system-out>$told</system-out>"
            : "<failure message=\"$told\"/>";
        $text .= "</testcase>\n";
    }
    spew($file, "$text  </testsuite>\n</testsuites>\n");
}

1;
