#!/bin/sh
# Times and sizes beside perf's: run.sh [PART...], all without:
#   fdinfo switch gpu storm rings start busy deep repeat large
#   SECONDS_BUSY=60 SECONDS_DEEP=65  lengths of the recordings
#   TURNS=3                          runs of each way of gpu
#   LARGE=1000000000                 bytes of the file of large
#   WALKS=24000                      stacks of repeat, see samples/deep.sh
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo 'bench: needs python3'; exit 77; }
exec python3 -B tests/bench/bench.py "$@"
