#!/usr/bin/env bash
# quern from what is newest in Debian: its compiler and libraries build everything in a fresh root, where the unit tests pass and README's first
# example runs. Takes what a build takes, or less where the compiler cache (CCACHE_DIR) knows the sources.
# usage: tests/slow/newest.sh [RELEASE (default: sid)]
set -euo pipefail
[ -n "${QUERN_RECORDED:-}" ] || exec "$(dirname "$0")/record" "$(basename "$0")" "$0" "$@"
release=${1:-sid}
. "$(dirname "$0")/fresh_root"

fresh_root newest
keep_compiled newest
echo 'Acquire::Check-Valid-Until "false";' >"$work/newest/etc/apt/apt.conf.d/frozen" # a mirror may stand still
mkdir "$work/newest/quern"
git -C "$source" archive HEAD | tar -x -C "$work/newest/quern"
step() { inside newest bash -ec "cd /quern && $*" >"$work/log" 2>&1 || { grep -m 20 'error' "$work/log" || tail -20 "$work/log"; echo "FAILED: $*" && exit 1; }; }
step scripts/setup
compiler=$(inside newest g++ -dumpfullversion)
step cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release
step cmake --build build
warnings=$(grep -c 'warning:' "$work/log" || true)
step build/tests/unit_tests
tests=$(grep -o 'Running [0-9]*' "$work/log" | cut -d' ' -f2)
"$source/tests/packages/first_example" "$source/README.md" >"$work/newest/root/example"
step cmake --install build --prefix /usr
step cd '&& . ./example'
[ -s "$work/newest/root/digits-i8.onnx" ] || { echo "FAILED: README's first example left no model" && exit 1; }
echo "newest: $release, g++ $compiler, $(inside newest quern --version -v | grep -i onednn | tr -s ' '): $warnings warnings, $tests unit tests passed"
