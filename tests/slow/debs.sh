#!/usr/bin/env bash
# Debian packages in users' hands: built (or those of FOLDER), without an error of lintian, installed into a fresh Debian that has nothing of this
# tree, where the first example of README and a C program against libquern-dev run. Prints the time from the installation to the first result.
# usage: tests/slow/debs.sh [FOLDER]
set -euo pipefail
[ -n "${QUERN_RECORDED:-}" ] || exec "$(dirname "$0")/record" "$(basename "$0")" "$0" "$@"
. "$(dirname "$0")/fresh_root"
packages=${1:-$work/packages}
[ -n "${1:-}" ] || "$source/scripts/package" "$packages"
mapfile -t debs < <(ls "$packages"/*.deb)
for name in quern libquern0 libquern-dev quern-dbgsym libquern0-dbgsym; do
    ls "$packages/${name}"_*.deb >/dev/null || { echo "FAILED: there is no package $name" && exit 1; }
done
lintian --fail-on error --tag-display-limit 0 "${debs[@]}" >"$work/lintian" 2>&1 || { grep '^E:' "$work/lintian" || cat "$work/lintian"; echo "FAILED: lintian" && exit 1; }
if grep 'debug-file-with-no-debug-symbols' "$work/lintian"; then echo "FAILED: packages of debug information have none" && exit 1; fi

fresh_root user
home=$work/user/root
mkdir "$work/user/debs"
cp "$packages"/{quern,libquern0,libquern-dev}_*.deb "$work/user/debs"
inside user apt-get update -qq
"$source/tests/packages/first_example" "$source/README.md" >"$home/example"
install() { inside user sh -c "apt-get install -y -qq --no-install-recommends $*" >"$work/apt" 2>&1 || { cat "$work/apt" && echo "FAILED: install $*" && exit 1; }; }
started=$(date +%s%N)
install '/debs/quern_*.deb /debs/libquern0_*.deb'
installed=$(date +%s%N)
inside user bash -ec 'cd && . ./example' >"$work/example" 2>&1 || { cat "$work/example" && echo "FAILED: README's first example" && exit 1; }
ended=$(date +%s%N)
cat "$work/example"
[ -s "$home/digits-i8.onnx" ] || { echo "FAILED: README's first example left no model" && exit 1; }
if inside user sh -c 'ldd /usr/bin/quern /usr/libexec/quern/* /usr/lib/*/quern-0/*.so' | grep 'not found'; then echo "FAILED: a library is missing" && exit 1; fi

# A program of one's own against libquern-dev, whose output is that of the tools.
install '/debs/libquern-dev_*.deb gcc libc6-dev pkgconf'
inside user bash -ec 'cd && gcc -std=c99 /usr/share/doc/quern/examples/session/flows.c $(pkg-config --cflags --libs quern) -o flows && ./flows run digits-i8.onnx'
inside user dpkg --audit
seconds() { awk -v ns=$(($2 - $1)) 'BEGIN { printf "%.1f", ns / 1e9 }'; }
echo "debs: ${#debs[@]} packages, $(grep -c '^W:' "$work/lintian" || true) warnings of lintian; install to first result $(seconds "$started" "$ended") s, of which installing $(seconds "$started" "$installed") s"
