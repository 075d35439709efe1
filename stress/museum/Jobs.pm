# Jobs: as many at a time as there are cores, each in a process of its own.
package Jobs;

use strict;
use warnings;
use POSIX qw(_exit);
use Exporter 'import';

our @EXPORT_OK = qw(start_job finish_jobs stop_jobs);

chomp(my $cores = `nproc`);
my (%running, $stopped); # process => what to do at its end

sub wait_for_one {
    my $pid = waitpid -1, 0;
    my $then = delete $running{$pid} or return;
    $then->($? == 0) unless $stopped; # it was told to end, too
}

sub start_job { # ACTION [THEN]: THEN is told here whether ACTION was true there
    my ($action, $then) = @_;
    wait_for_one() while keys %running >= $cores;
    return if $stopped;
    my $pid = fork // die "no process to be had: $!\n";
    if ($pid == 0) {
        $SIG{INT} = $SIG{TERM} = 'DEFAULT';
        setpgrp;
        _exit($action->() ? 0 : 1);
    }
    setpgrp $pid, $pid; # whoever comes first
    $running{$pid} = $then // sub { };
}

sub finish_jobs { wait_for_one() while keys %running }

sub stop_jobs { # no more are started
    $stopped = 1;
    kill -15, keys %running;
}

1;
