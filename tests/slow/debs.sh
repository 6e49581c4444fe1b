#!/usr/bin/env bash
# Debian packages in users' hands: built (or those of FOLDER), without an error of lintian, installed into a fresh Debian that has nothing of this
# tree, where the first example of README and a C program against libquern-dev run. Prints the time from the installation to the first result.
# usage: tests/slow/debs.sh [FOLDER]
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $*" && exit 77; }
for need in debootstrap lintian dpkg-shlibdeps; do command -v "$need" >/dev/null || skip "$need is not installed (scripts/setup test)"; done
[ "$(id -u)" = 0 ] || skip "a fresh Debian is made by root alone"
sites=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' 'Component: main' "Architecture: $(dpkg --print-architecture)")
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
site=$(awk -v release="$release" '$2 == release { print $1; exit }' <<<"$sites")
[ -n "$site" ] || skip "apt has no source of $release"

work=$(mktemp -d)
root=$work/root
end() {
    for mounted in proc dev; do mountpoint -q "$root/$mounted" && umount "$root/$mounted"; done
    rm -rf --one-file-system "$work"
}
trap end EXIT
packages=${1:-$work/packages}
[ -n "${1:-}" ] || "$source/scripts/package" "$packages"
mapfile -t debs < <(ls "$packages"/*.deb)
for name in quern libquern0 libquern-dev quern-dbgsym libquern0-dbgsym; do
    ls "$packages/${name}"_*.deb >/dev/null || { echo "FAILED: there is no package $name" && exit 1; }
done
lintian --fail-on error --tag-display-limit 0 "${debs[@]}" >"$work/lintian" 2>&1 || { grep '^E:' "$work/lintian" || cat "$work/lintian"; echo "FAILED: lintian" && exit 1; }

debootstrap --variant=minbase "$release" "$root" "$site" >"$work/debootstrap" 2>&1 || { tail -3 "$work/debootstrap" && skip "debootstrap cannot make a fresh $release here"; }
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
awk '{ print "deb", $1, $2, "main" }' <<<"$sites" | sort -u >"$root/etc/apt/sources.list"
mkdir "$root/debs" "$root/home/user"
cp "$packages"/{quern,libquern0,libquern-dev}_*.deb "$root/debs"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/user DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"; }
inside apt-get update -qq

# The example is what README shows first under "First results"; it runs as it stands.
awk '/^#/ { inside = /First results/ } inside && /^    / { sub(/^    /, ""); print }' "$source/README.md" >"$root/home/user/example"
[ -s "$root/home/user/example" ] || { echo "FAILED: README has no first example" && exit 1; }
started=$(date +%s%N)
inside sh -c 'apt-get install -y -qq --no-install-recommends /debs/quern_*.deb /debs/libquern0_*.deb' >"$work/apt" 2>&1 || { cat "$work/apt" && exit 1; }
installed=$(date +%s%N)
inside bash -ec 'cd && . ./example' >"$work/example" 2>&1 || { cat "$work/example" && echo "FAILED: README's first example" && exit 1; }
ended=$(date +%s%N)
[ -s "$root/home/user/digits-i8.onnx" ] || { echo "FAILED: README's first example left no model" && exit 1; }
cat "$work/example"
inside sh -c 'test -z "$(ldd /usr/bin/quern /usr/libexec/quern/* /usr/lib/*/quern-0/*  | grep "not found")"' || { echo "FAILED: a library is missing" && exit 1; }

# A program of one's own against libquern-dev.
inside sh -c 'apt-get install -y -qq --no-install-recommends /debs/libquern-dev_*.deb gcc libc6-dev pkgconf' >"$work/apt" 2>&1 || { cat "$work/apt" && exit 1; }
inside bash -ec 'cd && gcc -std=c99 /usr/share/doc/quern/examples/session/flows.c $(pkg-config --cflags --libs quern) -o flows && ./flows run digits-i8.onnx'
inside dpkg --audit
seconds() { awk -v ns=$(($2 - $1)) 'BEGIN { printf "%.1f", ns / 1e9 }'; }
echo "debs: ${#debs[@]} packages, $(grep -c '^W:' "$work/lintian" || true) warnings of lintian; install to first result $(seconds "$started" "$ended") s, of which installing $(seconds "$started" "$installed") s"
