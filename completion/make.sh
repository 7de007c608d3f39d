#!/bin/sh
# Makes the completion of each program for each shell, by the names that are
# installed:
#
#	sh completion/make.sh OUT [PREFIX]
set -u
out=$1 prefix=${2-}
here=$(cd "$(dirname "$0")" && pwd) || exit 1

# fill SHELL FILE: the template for one program, in the place of FILE.
fill() {
	mkdir -p "$out/$1" &&
		sed "s/@PROGRAM@/$program/g" "$here/$1.in" >"$out/$1/$2" ||
		exit 1
}

rm -rf "$out/bash" "$out/zsh" "$out/fish"
for program in rec analyze flamegraph; do
	program=$prefix$program
	fill bash "$program"
	fill zsh "_$program"
	fill fish "$program.fish"
done
