#!/usr/bin/env bash
# The inner loops of kernels on codes, cross-compiled for aarch64 and run by QEMU as processors of three ages: Armv8.0, with dot products, and
# with products of matrices.
#
#     run.sh BUILD
set -euo pipefail
build=$1
cd "$(dirname "$0")/../../.."
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
    command -v $tool >/dev/null && continue
    echo "skipped: $tool is not there"
    [ -z "${CI:-}" ] && exit 77 || exit 1
done
work=$build/tests/codes_arm
mkdir -p "$work/include"
for header in fmt/core.h hwy/highway.h; do # used by their headers alone
    ln -sfn "$(dirname "$(echo "#include <$header>" | g++ -M -x c++ - | grep -o "[^ ]*/${header/./\\.}")")" "$work/include/${header%/*}"
done
codes=libcore/kernels/codes
sources=(tests/codes/arm/main.cpp tests/codes/{dot_loops,loops,pairs}.cpp
    $codes/{dot,dot_neon,dot_dotprod,dot_i8mm,finish,finish_parameters,finish_parts,finish_vectors,pair_parameters,pairs,gates,gates_vectors,line_loops,reals,rounding,rounding_vectors,decode,decode_vectors}.cpp
    libcore/ops/integer/fixed_point.cpp libcore/ops/shared/portable_math.cpp libcore/kernels/{isa,code_table}.cpp libcore/base/{error,few,text}.cpp libcore/graph/dtype.cpp)
export work launcher=$(command -v ccache || true)
printf '%s\n' "${sources[@]}" | xargs -P 2 -I{} bash -c '
    $launcher aarch64-linux-gnu-g++ -std=c++20 -O2 -ffunction-sections -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers \
        -DFMT_HEADER_ONLY -isystem "$work/include" -I. -c {} -o "$work/$(echo {} | tr / _).o"'
objects=()
for source in "${sources[@]}"; do objects+=("$work/${source//\//_}.o"); done
aarch64-linux-gnu-g++ -static -Wl,--gc-sections "${objects[@]}" -o "$work/loops"
check() { # PROCESSOR LOOPS [dots]
    said=$(qemu-aarch64 -cpu "$1" "$work/loops" "${@:3}") || { echo "$said" && exit 1; }
    echo "$1: $said"
    grep -q "^$2 - 0 wrong$" <<<"$said"
}
check cortex-a53 'neon portable' dots
check cortex-a76 'neon-dotprod neon portable' dots
check max 'neon-i8mm neon-dotprod neon portable'
