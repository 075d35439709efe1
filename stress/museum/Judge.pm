# Judge: what did a program say of a library with a bug in it?
#
# What kills a mutant is a forbidden outcome, a broken invariant, a history that is not
# linearizable, a hang, a report of the sanitizer, a crash; the same verdicts of the explorer's, and
# those that only it can give; a test that fails. That an outcome was not seen is no proof of
# anything and does not count; nor does a report that concerns the harness alone; nor any complaint
# that is not known here.
package Judge;

use strict;
use warnings;
use List::Util qw(first uniq);
use Exporter 'import';

our @EXPORT_OK = qw(judge_explore judge_stress judge_conformance);

# The explorer's verdicts that fail a scenario. A limit is no bug of a program, but no scenario of
# the library meets one.
my $verdicts = join '|', 'forbidden outcome', 'broken invariant', 'data race', 'deadlock',
    'livelock', 'limit', 'late task', 'leak', 'use after free', 'double free', 'out of block',
    'use after return', 'not linearizable', 'assertion', 'failed', 'crash', 'misuse';

# How timeout ends a program that took too long: it has asked it to stop, or had to kill it.
my %overdue = (124 => 1, 137 => 1);

# It did not come to its end, and not because it was called wrongly or took too long.
sub crashed { # TEXT STATUS
    my ($text, $status) = @_;
    return 0 if $text =~ /^\d+ passed, \d+ failed$/m;
    return ($status > 128 && !$overdue{$status})
        || ($status != 0 && $text =~ /the process ends while running|Sanitizer|: runtime error: /);
}

sub said { # TEXT: each complaint at the end
    my ($text) = @_;
    my ($end) = $text =~ /^(FAILED [^\n]* attacks .*)\z/ms or return ();
    return map { /^ {8}(\S.*)/ ? $1 : () } split /\n/, $end;
}

# What is common: {by => kind of complaint or undef, reason => why not, effort => "12 executions"}
sub judged { # TEXT STATUS KINDS
    my ($text, $status, @kinds) = @_;
    my ($effort) = $text =~ /^([\d,]+ executions?), /m;
    ($effort) = $text =~ /^[A-Z]+  .*   ([\d,]+ iterations), /m unless $effort;
    @kinds = ('crash') if crashed($text, $status);
    my @complaints = said($text);
    return {by => @kinds ? join(' + ', sort { $a cmp $b } uniq @kinds) : undef,
        reason => $complaints[0] // 'nothing at all', effort => $effort};
}

sub judge_explore {
    my ($text, $status) = @_;
    my $judged = judged($text, $status, map { /^($verdicts): / ? $1 : () } said($text));
    ($judged->{token}) = $text =~ /REPLAY=(gpx2:\S+)/;
    $judged->{broken} = 'its story and the closing line differ'
        if $judged->{by} && $judged->{by} ne 'crash' && !tells_one_story($text);
    $judged->{broken} = 'its story has no history'
        if ($judged->{by} // '') eq 'not linearizable' && $text !~ /^Not linearizable as .*:$/m;
    return $judged;
}

# The explorer shortens what it has found: does the closing line speak of what the story shows? Of
# an execution that ended in two ways the story has both.
sub tells_one_story {
    my ($text) = @_;
    my ($closing) = map { s/ +/ /gr } said($text);
    my ($at_first, $happened) = (row('at first', $text), row('happened', $text));
    return $closing eq $at_first || $closing =~ /: \Q$happened\E$/;
}

sub row { # TITLE TEXT: what stands beside the title in the head of the story
    my ($title, $text) = @_;
    my ($row) = $text =~ /^ {4}$title +(\S.*\n(?: {14}.*\n)*)/m or return '';
    $row =~ s/\s+/ /g;
    $row =~ s/ $//;
    return $row;
}

my @stress_kinds = (
    [qr/^forbidden, seen /, 'forbidden outcome'],
    [qr/^hung: /, 'hang'],
    [qr/^invariant \d+ broken /, 'broken invariant'],
    [qr/^histories that are not linearizable: /, 'not linearizable']);

sub judge_stress {
    my ($text, $status) = @_;
    my @kinds = map {
        my $line = $_;
        my $known = first { $line =~ $_->[0] } @stress_kinds;
        $known ? $known->[1] : ();
    } said($text);
    push @kinds, 'TSan report' # each has a summary
        if grep { !m{ harness/} } $text =~ /^(SUMMARY: ThreadSanitizer.*)/mg;
    return judged($text, $status, @kinds);
}

sub judge_conformance {
    my ($text, $status) = @_;
    my ($test) = $text =~ /^([a-z_\d]+\.[a-z_\d]+): /m;
    my $by = $test ? "test $test" : $overdue{$status} ? 'hang'
        : crashed($text, $status) ? 'crash' : undef;
    my $broken = $by || $status == 0 ? undef : "exit status $status without a reason";
    return {by => $by, reason => 'nothing at all', effort => undef, broken => $broken};
}

1;
