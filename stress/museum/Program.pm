# Program: one of ours, made anew with a changed library.
#
# The file `commands` beside it says how each source is compiled ("SOURCE COMMAND"), what is then
# done to its object, if anything ("take COMMAND"), and how the program is linked ("link COMMAND").
# Only what depends on the changed files is compiled again; the rest of the objects are those of the
# flavour. run_program then runs it, or any other, and does not wait for ever.
package Program;

use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use POSIX qw(_exit);
use Mutant qw(slurp);
use Exporter 'import';

our @EXPORT_OK = qw(run_program);

my $patience = 240; # seconds, of one run

sub new { # PATH
    my ($class, $path) = @_;
    my $self = {path => $path, name => basename($path), directory => dirname($path)};
    open my $commands, '<', "$self->{directory}/commands" or die "$path has no commands: $!\n";
    while (my $line = <$commands>) {
        my ($key, $command) = $line =~ /^(\S+) (.*)$/ or next;
        $self->{command}{$key} = $command;
    }
    return bless $self, $class;
}

sub dependants { # FILE: the sources that have to be compiled again
    my ($self, $file) = @_;
    return $file if $file =~ /\.c$/;
    my @notes = split /\n/, `grep -rlF ' $file' $self->{directory}/obj --include='*.d'`;
    return map { s{^\Q$self->{directory}\E/obj/(.*)\.d$}{$1.c}r } @notes;
}

# The changed files come first wherever something is included. -w: a bug may leave a variable
# unused.
sub compile { # SOURCE COPY: true if it could be
    my ($self, $source, $copy) = @_;
    my $object = "$copy/obj/" . $source =~ s/\.c$/.o/r;
    my $from = -e "$copy/$source" ? "$copy/$source" : $source;
    my $command = $self->{command}{$source};
    $command =~ s{ -Iimpl }{ -I$copy/impl -I$copy/impl/include -Iimpl };
    make_path(dirname($object));
    my $take = $self->{command}{take} ? "&& $self->{command}{take} $object" : '';
    return system("{ $command -w -c -o $object $from $take; } >>$copy/build.log 2>&1") == 0;
}

sub build { # COPY FILE...: the program in COPY, with what is changed there; dies if it cannot be
    my ($self, $copy, @files) = @_;
    my %again = map { $_ => 1 } map { $self->dependants($_) } @files;
    my $link = $self->{command}{link} . ' ';
    unlink "$copy/build.log";
    for my $source (grep { $self->{command}{$_} } sort keys %again) { # else: of another program
        $self->compile($source, $copy) or die "$source does not compile: see $copy/build.log\n";
        my $object = $source =~ s/\.c$/.o/r;
        $link =~ s{ \Q$self->{directory}\E/obj/\Q$object\E }{ $copy/obj/$object };
    }
    system("$link -o $copy/$self->{name} >>$copy/build.log 2>&1") == 0
        or die "$self->{name} cannot be linked: see $copy/build.log\n";
    return "$copy/$self->{name}";
}

# Ctrl-C reaches us alone, and goes on to the program once: the second that it gets kills it. It
# ends in its own way, then the signal does with us what it would have done without it.
sub run_program { # PATH OUT ARGUMENT...: its output and exit status
    my ($path, $out, @arguments) = @_;
    my $signal;
    my $pid = fork // die "no process to be had: $!\n";
    become($out, 'timeout', '--foreground', '--kill-after', 5, $patience, $path, @arguments)
        if $pid == 0;
    {
        local @SIG{qw(INT TERM)} = (sub { $signal = shift; kill $signal, $pid }) x 2;
        1 until waitpid($pid, 0) == $pid;
    }
    my $status = $?;
    kill $signal, $$ if $signal;
    return (slurp($out), $status & 127 ? 128 + ($status & 127) : $status >> 8);
}

sub become { # OUT COMMAND...: a process of its own group
    my ($out, @command) = @_;
    setpgrp;
    open STDOUT, '>', $out or _exit(127);
    open STDERR, '>&', \*STDOUT or _exit(127);
    exec @command or _exit(127);
}

1;
