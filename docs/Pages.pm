# Pages: the Markdown files that people read, and the commands on them.
#
# A command begins with make, glasspool-cron, gp-cc, java, man, cc or ./ and stands
#
#   - on a line of a fenced block, or of one that is indented by four; what follows after two spaces
#     or more, or after a hash sign, says what it is for;
#   - there behind "$ ": then the lines up to the next such line are what it prints;
#   - in backquotes, where it may go on in the next line, and has a word at least behind the first.
#
# Tables that are made from data stand between <!-- NAME: PART --> and <!-- end of NAME -->. Their
# commands are wanted by who checks names, and not by who runs them.
package Pages;

use strict;
use warnings;
use Exporter 'import';
use File::Find qw(find);

our @EXPORT_OK = qw(pages commands_of words_of slurp);

my $begins = qr{(?:make|glasspool-cron|gp-cc|java|man|cc)(?=[ ]|$)|\./\w};

sub slurp { # FILE
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

sub pages {
    my @pages;
    find({no_chdir => 1, wanted => sub { push @pages, s{^\./}{}r if /\.md$/ }},
        grep { -e } qw(README.md docs harness benches));
    return sort { $a cmp $b } @pages;
}

sub blank { # TEXT: as many lines, with nothing on them
    return $_[0] =~ s/[^\n]//gr;
}

sub in_block { # LINE: the command on it, or undef
    my ($command) = $_[0] =~ /^(?:\$ )?($begins.*?)(?:\s{2,}.*|\s+#.*)?$/ or return undef;
    return $command =~ /^(make|man|java|cc|gp-cc) [^a-zA-Z']/ ? undef : $command;
}

sub of_blocks { # TEXT: {line, command, prints}
    my ($fenced, $number, $shown, @found) = (0, 0);
    for my $line (split /\n/, $_[0]) {
        $number++;
        $line =~ s/^> ?//; # in a box
        if ($line =~ /^```/) {
            $fenced = !$fenced;
            $shown = undef;
            next;
        }
        my $inner = $fenced ? $line : $line =~ /^ {4}(\S.*)$/ ? $1 : next;
        my $command = in_block($inner);
        if (defined $command && !(defined $shown && $inner !~ /^\$ /)) {
            push @found, {line => $number, command => $command};
            $shown = undef;
            $shown = $found[-1]{prints} = \my $text if $inner =~ /^\$ /;
            $$shown = '' if defined $shown;
        } elsif (defined $shown) {
            $$shown .= "$inner\n";
        }
    }
    return @found;
}

sub of_prose { # TEXT: the same
    my $text = $_[0] =~ s/^((?:> ?)?```.*?^(?:> ?)?```)$/blank($1)/gmser;
    my @found;
    while ($text =~ /`([^`]+)`/g) {
        my ($code, $before) = ($1, substr $text, 0, $-[1]);
        $code =~ s/\s*\n(> )?\s*/ /g;
        push @found, {line => 1 + ($before =~ tr/\n//), command => $code}
            if $code =~ /^$begins/ && $code =~ /^\S+ [\w.\/'"-]/;
    }
    return @found;
}

sub commands_of { # TEXT of a page, TABLES: too; {line, command; prints: what, a reference}
    my ($text, $tables) = @_;
    $text =~ s/^(<!-- (\w+): \w+ -->\n.*?^<!-- end of \2 -->)$/blank($1)/gmse unless $tables;
    return sort { $a->{line} <=> $b->{line} } of_blocks($text), of_prose($text);
}

sub words_of { # COMMAND: its words, as they stand there, with their quotes
    return $_[0] =~ /((?:'[^']*'|"[^"]*"|[^\s'"])+)/g;
}

1;
