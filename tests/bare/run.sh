#!/bin/sh
# Both commands of the README, in an empty Debian, timed: what a newcomer sees.
# Needs root, debootstrap and the network of this machine's apt. The mirror is
# this machine's own; the base system is kept as a tarball beside the build.
set -eu
cd "$(dirname "$0")/../.."
: "${B:=build}"
SUITE=${SUITE:-bookworm}
[ "$(id -u)" -eq 0 ] || { echo 'bare: needs root'; exit 77; }
command -v debootstrap >/dev/null || { echo 'bare: no debootstrap'; exit 77; }

# This machine's source for the suite: one-line or deb822 form.
mirror=${MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* \
	2>/dev/null | awk -v suite="$SUITE" '
	/^#/ { next }
	$1 == "deb" {
		sub(/\[[^]]*\] */, "")
		if ($3 == suite) { print $2; exit }
	}
	/^URIs:/ { uri = $2 }
	/^Suites:/ {
		for (i = 2; i <= NF; i++)
			if ($i == suite && uri) { print uri; exit }
	}')}
[ -n "$mirror" ] || { echo "bare: no source of $SUITE"; exit 77; }

mkdir -p "$B/bare"
B=$(cd "$B" && pwd)
root=$B/bare/root
tarball=$B/bare/$SUITE.tar

# What still runs in there was started by this script.
end_all() {
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/root" 2>/dev/null)" != "$root" ] ||
			kill -9 "${p#/proc/}" 2>/dev/null
	done
	return 0
}
unmount() {
	for m in dev proc sys; do
		mountpoint -q "$root/$m" && umount -R "$root/$m"
	done
	return 0
}
# Only an unmounted root is removed: rm would walk into /dev and /sys.
remove() {
	end_all
	sleep 0.2
	unmount
	if grep -q " $root/" /proc/self/mounts; then
		echo "bare: '$root' is still mounted" >&2
		exit 1
	fi
	rm -rf --one-file-system "$root"
}
trap remove EXIT
trap 'exit 130' INT TERM
remove

if [ ! -s "$tarball" ]; then
	debootstrap --variant=minbase "$SUITE" "$root" "$mirror" >"$B/bare/log" \
		2>&1 || { tail "$B/bare/log"; exit 1; }
	tar -C "$root" -cf "$tarball.part" . && mv "$tarball.part" "$tarball"
else
	mkdir -p "$root" && tar -C "$root" -xf "$tarball"
fi
# How this machine reaches its source: proxy, further suites, keys.
for f in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do
	[ ! -f "$f" ] || cp "$f" "$root/etc/apt/apt.conf.d/"
done
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || :

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys" 2>/dev/null || mount --bind /sys "$root/sys"
mount --make-rslave "$root/sys"
mount --bind /dev "$root/dev"

mkdir -p "$root/opt/src"
if git rev-parse -q --verify HEAD >/dev/null && [ -z "${TREE:-}" ]; then
	git archive HEAD | tar -C "$root/opt/src" -xf -
else
	tar -cf - --exclude='./build*' --exclude=./.git . |
		tar -C "$root/opt/src" -xf -
fi

passed=0 failed=0
# The indented commands of the README that end in these targets.
try() {
	command=$(sed -n "s/^    \\(.*make .*$1\\)\$/\\1/p" README.md)
	printf '\n# %s\n' "$command"
	at=$(date +%s)
	if chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		TERM=dumb DEBIAN_FRONTEND=noninteractive \
		sh -c "cd /opt/src && $command" </dev/null; then
		passed=$((passed + 1)) word=ok
	else
		failed=$((failed + 1)) word='not ok'
	fi
	echo "$word bare: $1: $(($(date +%s) - at)) s"
}
try 'deps demo'
try 'deps-test test'
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
