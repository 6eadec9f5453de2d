# SPDX-License-Identifier: Apache-2.0
# Processes, signals, sockets and modules of perl, printed: the same in every run, whatever is preloaded.
use strict; use warnings; use Config;
use DynaLoader; use Fcntl; use IPC::Open3; use POSIX qw(:sys_wait_h :signal_h dup2 _exit); use Socket; use Time::HiRes qw(ualarm usleep);
$| = 1;
sub child { my $work = shift; my $pid = fork // die; if (!$pid) { _exit($work->() // 0) } waitpid $pid, 0; return "status " . ($? >> 8) . " signal " . ($? & 127) }
print "child: ", child(sub { 5 }), "\n";
print "exec: ", child(sub { exec "/bin/sh", "-c", "exit 6" }), "\n";
print "exec without an environment: ", child(sub { %ENV = (); exec { "/bin/sh" } "name", "-c", 'echo "$0 $PATH" >/dev/null; exit 7' }), "\n";
print "abort: ", child(sub { POSIX::abort() }), "\n";
print "killed: ", child(sub { kill KILL => $$; sleep 60 }), "\n";
{ no warnings; print "not found: ", child(sub { exec "/no/such/program" or return $! == POSIX::ENOENT() ? 9 : 1 }), "\n" }
print "system: ", system("exit 3;") >> 8, " backticks: ", `echo through a pipe`;
open my $from, "-|", "echo", "list form" or die; print <$from>; close $from;
open my $to, "|-", "tr a-z A-Z" or die; print $to "upper\n"; close $to; print "closed: $?\n";
my $pid = open3(my $in, my $out, undef, "/bin/cat"); print $in "open3\n"; close $in; print <$out>; waitpid $pid, 0;
eval { local $SIG{ALRM} = sub { die "alarm\n" }; ualarm 20_000; sleep 60 }; print "timed out: $@";
my @seen; local $SIG{USR1} = sub { push @seen, shift }; kill USR1 => $$; usleep 1000; print "seen: @seen\n";
local $SIG{CHLD} = sub { push @seen, shift; 1 while waitpid(-1, WNOHANG) > 0 }; my $quick = fork // die; _exit 0 unless $quick; sleep 1; print "seen: @seen\n"; $SIG{CHLD} = "DEFAULT";
sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM)); kill TERM => $$; my $pending = POSIX::SigSet->new; POSIX::sigpending($pending); print "pending: ", $pending->ismember(SIGTERM), "\n";
local $SIG{TERM} = sub { print "delivered\n" }; sigprocmask(SIG_UNBLOCK, POSIX::SigSet->new(SIGTERM));
socketpair my $one, my $two, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die; syswrite $one, "over a socket\n"; sysread $two, my $text, 100; print $text;
print "library: ", (DynaLoader::dl_load_file("libz.so.1", 0) ? "there" : "not there"), ", ", (DynaLoader::dl_load_file("libnone-such.so") ? "there" : DynaLoader::dl_error()), "\n";
if ($Config{useithreads}) { require threads; my @workers = map { my $n = $_; threads->create(sub { $n * $n }) } 1 .. 8; print "threads: @{[map { $_->join } @workers]}\n" }
opendir my $descriptors, "/proc/$$/fd" or die; print "descriptors: ", scalar(grep { !/^\./ } readdir $descriptors), "\n";
open my $status, "<", "/proc/$$/status" or die; print grep { /^Sig(Blk|Ign|Cgt)/ } <$status>;
END { print "at the end\n"; $? = 21 }
print STDERR "to the errors\n";
die "dies\n";
