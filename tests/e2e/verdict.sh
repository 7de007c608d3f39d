#!/usr/bin/env bash
# A process that computes and uses no GPU: never hardware.
. "$(dirname "$0")/lib.sh"
need_root
need_perf_events

sh -c 'while :; do :; done' &
busy=$!
later "kill $busy 2>/dev/null"
sleep 0.2
"$rec" -q -e cpu-clock -F 999 -I 100 -a --gpu -o v.ctr -- sleep 1 2>rec.err
"$analyze" verdict --media $busy v.ctr >out 2>err
rc=$?
case "$rc:$(cut -d: -f1 <out | head -n 1)" in
0:software | 3:unknown) ok "a busy process is no hardware" ;;
*) not_ok "a busy process is no hardware" "rc $rc: $(head -n 1 out err)" ;;
esac
if awk '/^  CPU: / { v = $2 + 0 } END { exit !(v >= 30 && v <= 110) }' out; then
	ok "its CPU time is seen"
else
	not_ok "its CPU time is seen" "$(grep CPU: out)"
fi
"$analyze" verdict --media 999999999 v.ctr >out 2>err
rc=$?
if [ $rc = 3 ] && grep -q 'missing: the process is not in the trace' out; then
	ok "who is not there is unknown"
else
	not_ok "who is not there is unknown" "rc $rc"
fi
finish
