# Rules: bugs of one kind, thought up by reading the library as text.
#
#     boundary     each comparison one off: < and <=, > and >=
#     operand      each side of && and || dropped
#     step         each "+ 1" and "- 1" dropped
#     guard        each if taken for one whose condition holds
#     assignment   each assignment dropped, but for those that declare
#     signal       each signal and broadcast of a condition dropped
#
# A place is {file, line, offset, length, old, new, text}: that many characters there, `old`, become
# `new`, and the whole file `text`. Nothing is understood: what is in comments, strings and
# directives is left alone, an operand ends where its parenthesis does or an operator that binds
# less. Some places do not compile, and many are no bugs.
package Rules;

use strict;
use warnings;
use Exporter 'import';
use Mutant qw(slurp);

our @EXPORT_OK = qw(rules places_in);

my %off_by_one = ('<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>');
my $opens = qr/[(\[{]/;
my $closes = qr/[)\]}]/;

sub bare { # TEXT: of the same length, with nothing in it but code
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/|^\#(?:[^\n]*\\\n)*[^\n]*)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'}
        {defined $1 ? $1 =~ s/[^\n]/ /gr : 'x' x length $&}gmse;
    return $text;
}

sub place { # BEGIN END NEW
    my ($begin, $end, $new) = @_;
    return {offset => $begin, length => $end - $begin, new => $new};
}

sub boundaries { # CODE
    my ($code) = @_;
    my @places;
    push @places, place($-[0], $+[0], $off_by_one{$&})
        while $code =~ /(?<![-<>=])(?:<=|>=|<|>)(?![<>=])/g;
    return @places;
}

sub steps {
    my ($code) = @_;
    my @places;
    push @places, place($-[0], $+[0], '') while $code =~ / [+-] 1\b(?!\.)/g;
    return @places;
}

sub dropped { # CODE STATEMENT: a pattern
    my ($code, $statement) = @_;
    my @places;
    push @places, place($-[1], $+[1], ';') while $code =~ /^ *($statement)/gm;
    return @places;
}

sub signals {
    return dropped(@_, qr/(?:gp__condition|pthread_cond)_(?:signal|broadcast)\w*\([^;]*;/);
}

sub assignments { # a declaration has a blank before its name
    return dropped(@_, qr/[*\w]\S* (?:[-+*\/|&^]|<<|>>)?= [^;{}]*;/);
}

sub guards {
    my ($code) = @_;
    my @places;
    while ($code =~ /\bif (?=\()/g) {
        my $begin = $+[0] + 1;
        push @places, place($begin, right_of($code, $begin, ''), 1);
    }
    return @places;
}

# What an operand of && cannot reach beyond; one of || may have && in it.
sub ends_operand { # CODE OFFSET OPERATOR; '': nothing ends it
    my ($code, $offset, $operator) = @_;
    return 0 unless $operator;
    my $two = substr $code, $offset, 2;
    return 1 if $two eq '||' || ($two eq '&&' && $operator eq '&&');
    return 1 if substr($code, $offset, 1) =~ /[,;?:]/;
    return substr($code, $offset, 1) eq '=' && substr($code, $offset - 1, 3) !~ /[=!<>]=|==/;
}

sub left_of { # CODE OFFSET OPERATOR: where the operand begins that ends there
    my ($code, $offset, $operator) = @_;
    my $depth = 0;
    my $begin = $offset;
    while ($begin > 0) {
        my $letter = substr $code, $begin - 1, 1;
        last if $depth == 0 && $letter eq '}'; # a block ends before it
        $depth++ if $letter =~ $closes;
        last if $depth == 0 && ($letter =~ $opens || ends_operand($code, $begin - 1, $operator)
            || substr($code, $begin - 2, 2) =~ /^(\|\||&&)$/ && ends_operand($code, $begin - 2,
                $operator));
        $depth-- if $letter =~ $opens;
        $begin--;
    }
    substr($code, $begin, $offset - $begin) =~ /^\s*(?:return\b\s*)?/;
    return $begin + $+[0];
}

sub right_of { # CODE OFFSET OPERATOR: where the operand ends that begins there
    my ($code, $offset, $operator) = @_;
    my $depth = 0;
    my $end = $offset;
    while ($end < length $code) {
        my $letter = substr $code, $end, 1;
        last if $depth == 0 && ($letter =~ $closes || ends_operand($code, $end, $operator));
        $depth++ if $letter =~ $opens;
        $depth-- if $letter =~ $closes;
        $end++;
    }
    $end-- while substr($code, $end - 1, 1) =~ /\s/;
    return $end;
}

sub operands {
    my ($code) = @_;
    my @places;
    while ($code =~ /\s*(&&|\|\|)\s*/g) {
        my ($from, $to, $operator) = ($-[0], $+[0], $1);
        my $neutral = $operator eq '&&' ? 1 : 0;
        push @places, place(left_of($code, $from, $operator), $from, $neutral),
            place($to, right_of($code, $to, $operator), $neutral);
    }
    my %seen; # what is between two of them comes twice
    return grep { !$seen{"$_->{offset} $_->{length}"}++ } @places;
}

my %rules = (boundary => \&boundaries, operand => \&operands, step => \&steps,
    guard => \&guards, assignment => \&assignments, signal => \&signals);

sub rules { return sort keys %rules }

sub places_in { # FILE RULE
    my ($file, $rule) = @_;
    my $text = slurp($file);
    my @places = $rules{$rule}->(bare($text));
    for my $place (@places) {
        $place->{file} = $file;
        $place->{line} = 1 + substr($text, 0, $place->{offset}) =~ tr/\n//;
        $place->{old} = substr $text, $place->{offset}, $place->{length};
        substr($place->{text} = $text, $place->{offset}, $place->{length}) = $place->{new};
    }
    return @places;
}

1;
