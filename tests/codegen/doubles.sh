#!/usr/bin/env bash
# Nets of integers compute in integers: the object for a Cortex-M3, which has no unit for floats, calls none of the compiler's functions for them.
#
#     doubles.sh BUILD
set -euo pipefail
build=$1
keras=$(cd "$(dirname "$0")" && pwd)/../models/exports/keras
if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "skipped: arm-none-eabi-gcc is not there"
    [ -z "${CI:-}" ] || exit 1
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for net in {densenet,efficientnet,mobilenet_v1,mobilenet_v2,mobilenet_v3,resnet,sequence,unet,unrolled}.i8 {mobilenet_v1,unet}.i16; do
    "$build/bin/codegen" "$keras/$net.tflite" -q -p c --option name=net -o "$work/$net"
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -std=c99 -ffreestanding -c "$work/$net/net.c" -o "$work/net.o"
    called=$(arm-none-eabi-nm -u "$work/net.o" | awk '$2 ~ /^__aeabi_[df]/ { print $2 }' | tr '\n' ' ')
    [ -z "$called" ] || { echo "$net calls $called" && failed=1; }
done
exit $failed
