#!/usr/bin/env bash
# Code for speed on networks drawn at random and on public models: the codes of the reference, by the instructions of each machine - plain C,
# SSE2, AVX2, AVX-VNNI (its instruction is replaced where the machine has none), AVX512-VNNI (where it has it), Cortex-M4, M55 and aarch64 with
# dot products in QEMU.
#
#     dots.sh BUILD MODELS [COUNT]
set -euo pipefail
build=$1 models=$2 count=${3:-16}
here=$(cd "$(dirname "$0")" && pwd)
net=$models/tflite/kws01_dscnn_int8.tflite
if [ ! -d "$models" ]; then
    echo "the folder of public models is not there: a small exported model stands in"
    [ -z "${CI:-}" ] || exit 1
    net=$here/../models/exports/keras/mobilenet_v1.i8.tflite
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/nets"
"$build/tests/codes_tests" --count "$count" --save "$work/nets"
for one in "$work"/nets/*.mlir; do # without those that C cannot say
    code=0
    "$build/bin/codegen" "$one" -q -p c -o "$work/asked" 2>/dev/null || code=$?
    [ $code = 0 ] || { [ $code = 4 ] && rm "$one"; }
done
[ "$(ls "$work/nets" | wc -l)" -ge $((count * 2 / 3)) ]
with() {
    echo "$*"
    "$build/tests/generated" --preference speed "$@" "$net" "$here/nets/shifts_both_ways.mlir" "$work"/nets/*.mlir >"$work/said" || { cat "$work/said" && exit 1; }
    tail -1 "$work/said"
}
# Some products of all nets must go through the kernels.
"$build/bin/codegen" "$net" -q -p c --preference speed --option name=net -o "$work/net"
grep -q '^    conv_rows' "$work/net/net.c" && grep -q '^    conv_taps' "$work/net/net.c"
with
if [ "$(uname -m)" = x86_64 ]; then
    with --cflags -U__SSE2__
    if grep -q -w avx2 /proc/cpuinfo; then
        with --cflags -mavx2
        with --cflags "-mavx2 -D__AVXVNNI__ -isystem $here/shim"
    fi
    if grep -q -w avx512_vnni /proc/cpuinfo; then
        with --cflags "-mavx2 -mavx512vl -mavx512vnni"
    else
        echo "AVX512-VNNI is compiled, not run: this machine has none"
    fi
    cc -std=c99 -O2 -mavx2 -mavx512vl -mavx512vnni -S -o - "$work/net/net.c" | grep 'vpdpbusd.*zmm' >/dev/null
    cc -std=c99 -O2 -mavxvnni -S -o - "$work/net/net.c" | grep vpdpbusd >/dev/null
fi
if command -v clang >/dev/null; then with --cc clang; fi
if command -v arm-none-eabi-gcc qemu-system-arm aarch64-linux-gnu-gcc qemu-aarch64 >/dev/null; then
    for board in cortex-m4 cortex-m55 aarch64; do
        with --arm --board $board
        grep "$board: " "$work/said" | sed -n 1p
    done
elif [ -n "${CI:-}" ]; then
    echo "the compilers for Arm and QEMU are not all there"
    exit 1
fi
