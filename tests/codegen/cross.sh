#!/usr/bin/env bash
# codegen --lib with a cross compiler: the library of the example model, for aarch64.
#
#     cross.sh BUILD
set -euo pipefail
build=$1
if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    echo "skipped: aarch64-linux-gnu-g++ is not there"
    [ -z "${CI:-}" ] && exit 77 || exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$(cd "$(dirname "$0")/../.." && pwd)
"$build/bin/codegen" "$root/examples/digits/digits.onnx" -q -p cpp --lib --cxx aarch64-linux-gnu-g++ -o "$work"
header=$(aarch64-linux-gnu-readelf -h "$work/libdigits.so")
grep -q 'Machine: *AArch64' <<<"$header"
grep -q 'Type: *DYN' <<<"$header"
aarch64-linux-gnu-nm -D --defined-only "$work/libdigits.so" | grep -q quern_model_compose
if "$build/bin/model-info" "$work/libdigits.so" 2>"$work/said"; then exit 1; fi
[ "$(wc -l <"$work/said")" -le 2 ] # one line and a hint, not a crash
echo "libdigits.so is for AArch64; $(cat "$work/said")"
