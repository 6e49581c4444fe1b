#!/usr/bin/env bash
# Nets of integers compute in integers, and floats are never silent: where the object for a Cortex-M3, which has no unit for floats, calls
# functions of the compiler for them, a notice and the report name the operators, and only there.
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
whole=$(echo {densenet,efficientnet,mobilenet_v1,mobilenet_v2,mobilenet_v3,resnet,sequence,unet,unrolled}.i8 {mobilenet_v1,unet}.i16)
failed=0
for net in {densenet,efficientnet,mixer,mobilenet_v1,mobilenet_v2,mobilenet_v3,normalized,resnet,sequence,text,transformer,unet,unrolled}.i8 \
    {densenet,efficientnet,mobilenet_v1,mobilenet_v2,mobilenet_v3,resnet,sequence,unet}.i16; do
    "$build/bin/codegen" "$keras/$net.tflite" -p c --option name=net --report "$work/$net.json" -o "$work/$net" 2>"$work/said"
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -std=c99 -ffreestanding -c "$work/$net/net.c" -o "$work/net.o"
    called=$(arm-none-eabi-nm -u "$work/net.o" | awk '$2 ~ /^__aeabi_[df]/ { print $2 }' | tr '\n' ' ')
    named=$(grep -c ' compute in float: \| computes in float: ' "$work/said") || true
    listed=$(python3 -c 'import json, sys; print(sum(layer["float"] != "" for layer in json.load(open(sys.argv[1]))["layers"]))' "$work/$net.json")
    [ "$named" = "$([ -z "$called" ] && echo 0 || echo 1)" ] || { echo "$net calls $called, $named notices" && failed=1; }
    [ -z "$called" ] && [ "$listed" -gt 0 ] && echo "$net: the report has $listed layers in float" && failed=1
    [ "$named" = 0 ] || grep -q ": $listed of [0-9]* operators* compute" "$work/said" || { echo "$net: the report has $listed layers in float" && failed=1; }
    [[ " $whole " != *" $net "* ]] || [ -z "$called" ] || { echo "$net calls $called" && failed=1; }
done
exit $failed
