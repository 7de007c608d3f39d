#!/bin/sh
# Opens flame graphs in Chromium and checks what they do: run.sh SVG...
# Exit status 77, with the reason, where there is no Chromium or python3.
set -eu

here=$(dirname "$0")
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/check_flame.py" "$@"
