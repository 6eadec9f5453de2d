#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Job control, traps, descriptors and processes of bash, printed: the same in every run, whatever is preloaded.
trap 'echo "exit trap, status $?"' EXIT
trap 'echo "got USR1"' USR1
kill -USR1 $$

descriptors=(/proc/$$/fd/*) threads=(/proc/$$/task/*)
echo "descriptors ${#descriptors[@]}, threads ${#threads[@]}"
# Until the child is no shell any more: what that would do about a signal depends on how far it has come.
sleeps() { until [ "$(tr '\0' ' ' <"/proc/$1/cmdline")" = "sleep 60 " ]; do :; done; }
grep -E '^Sig(Blk|Ign)' /proc/self/status

# Pipes, substitutions, here documents, coprocesses.
set -o pipefail
false | cat; echo "pipefail $?"
yes | head -n 1
sort <(echo b) <(echo a)
cat <<<"here string"
coproc UPPER { while read -r line; do echo "${line^^}"; done; }
echo "to a coprocess" >&"${UPPER[1]}"
read -r answer <&"${UPPER[0]}"; echo "$answer"
exec {descriptor}>&"${UPPER[1]}"; kill "$UPPER_PID"; wait "$UPPER_PID" 2>/dev/null; echo "coprocess $?"
exec 7<<<"a descriptor"; read -r -u 7 line; echo "$line"; exec 7<&-
(exec 2>&1; ls /no/such/file; echo "ls $?")
mapfile -t lines < <(printf '%s\n' one two three); echo "${#lines[@]} ${lines[2]}"
read -r -t 0.05 _ < <(sleep 1); [ $? -gt 128 ] && echo "read timed out"

# Processes and what they end by.
(exit 5); echo "subshell $?"
{ bash -c 'kill -KILL $$'; } 2>/dev/null; echo "killed $?"
{ bash -c 'kill -SEGV $$'; } 2>/dev/null; echo "fault $?"
{ (kill -ABRT $BASHPID); } 2>/dev/null; echo "abort $?"
no-such-program 2>/dev/null; echo "not found $?"
/etc/passwd 2>/dev/null; echo "not executable $?"
env -i /bin/bash --norc -c 'echo "cleared: ${LD_PRELOAD-}${RONDO_OUTPUT:+} $#"' name one two | sed 's/: .* /: /'
(exec -a another bash -c 'echo "$0"' )
(exec /bin/sh -c 'echo exec; exit 4'); echo "exec $?"
(exec no-such-program) 2>/dev/null; echo "exec $?"
timeout 0.1 sleep 60; echo "timeout $?"
nohup true >/dev/null 2>&1; echo "nohup $?"
setsid --wait bash -c 'exit 6'; echo "setsid $?"
nice -n 3 bash -c 'nice'
printf '%s\0' a b | xargs -0 -n 1 -P 2 echo | sort
find /etc/passwd -exec basename {} \; -execdir echo {} +
echo 'echo "by a script without #!"' >"$1/plain"; chmod +x "$1/plain"; "$1/plain"
printf '#!/bin/sh -e\nfalse\n' >"$1/script"; chmod +x "$1/script"; "$1/script"; echo "script $?"

# Jobs.
sleep 60 & first=$!
(exit 3) & second=$!
wait "$second"; echo "wait $?"
sleeps "$first"; kill "$first"; wait "$first" 2>/dev/null; echo "terminated $?"
wait
set -m
sleep 60 & job=$!; sleeps "$job"
kill -STOP %+; sleep 0.05; jobs %+ | sed 's/.*Stopped.*/stopped/'
kill -CONT %+; sleep 0.05; jobs %+ | sed 's/.*Running.*/running/'
[ "$(cut -d ' ' -f 5 "/proc/$job/stat")" = "$job" ] && echo "a group of its own"
kill -INT -- "-$job"; wait "$job" 2>/dev/null; echo "interrupted $?"
set +m
(trap '' TERM; kill -TERM $BASHPID; echo "ignored")
(trap 'echo "child trap"; exit 8' TERM; kill -TERM $BASHPID); echo "trapped $?"
(trap 'echo "error trap"' ERR; false)

# Limits.
(ulimit -n 16; ulimit -n; exec 20>/dev/null) 2>/dev/null; echo "limit of descriptors $?"
(ulimit -f 1; head -c 100000 /dev/zero >"$1/large") 2>/dev/null; echo "limit of size $?"
(ulimit -v 400000; true; /bin/true); echo "limit of memory $?"
(ulimit -u 5000; ulimit -c 0; ulimit -s 8192; /bin/true; ulimit -s); echo "limits $?"
umask 027; umask
echo "to the errors" >&2
exit 9
