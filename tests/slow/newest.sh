#!/usr/bin/env bash
# quern from what is newest in Debian: its compiler and libraries build the tools in a fresh root, and README's first example runs. Takes what a
# build takes. usage: tests/slow/newest.sh [RELEASE (default: sid)]
set -euo pipefail
release=${1:-sid}
. "$(dirname "$0")/fresh_root"

fresh_root newest
echo 'Acquire::Check-Valid-Until "false";' >"$work/newest/etc/apt/apt.conf.d/frozen" # a mirror may stand still
mkdir "$work/newest/quern"
git -C "$source" archive HEAD | tar -x -C "$work/newest/quern"
step() { inside newest bash -ec "cd /quern && $*" >"$work/log" 2>&1 || { tail -20 "$work/log" && echo "FAILED: $*" && exit 1; }; }
step scripts/setup
compiler=$(inside newest g++ -dumpfullversion)
step cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DQUERN_TESTS=OFF
step cmake --build build
warnings=$(grep -c 'warning:' "$work/log" || true)
"$source/tests/packages/first_example" "$source/README.md" >"$work/newest/root/example"
step cmake --install build --prefix /usr
step cd '&& . ./example'
[ -s "$work/newest/root/digits-i8.onnx" ] || { echo "FAILED: README's first example left no model" && exit 1; }
echo "newest: g++ $compiler of $release, $warnings warnings"
