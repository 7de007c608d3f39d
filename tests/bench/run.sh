#!/bin/sh
# Times and sizes beside perf's: run.sh [start|busy|analysis...], all without.
#   SECONDS_BUSY=60  length of the busy recording
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo 'bench: needs python3'; exit 77; }
exec python3 -B tests/bench/bench.py "$@"
