#!/usr/bin/env bash
# Generated C with If, Loop and Scan: float and integer nets, nets quantized here and written as TFLite.
#
#     control.sh BUILD
set -euo pipefail
build=$1 nets=$(dirname "$0")/control
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$build/bin:$PATH
all() { tee -a /dev/stderr | grep -q ' 0 failures'; }

"$build/tests/generated" --rounds 12 "$nets"/*.mlir | all
"$build/tests/generated" --rounds 12 --no-libm "$nets/integers.mlir" | all
for preference in speed size; do "$build/tests/generated" --preference $preference "$nets"/{rounds,scan,branches}.mlir | all; done

model-convert "$nets/until.mlir" -f tflite -q -o "$work/until.tflite"
"$build/tests/generated" --rounds 12 "$work/until.tflite" | all

minmax-collect "$nets/net.mlir" --random 1 --rows 8 -q -o "$work/ranges.json"
for type in i8 i16-sym w8a16 w8u16 u8-asym u8i8; do
    quantize "$nets/net.mlir" --ranges "$work/ranges.json" --type $type -q -o "$work/net-$type.qn"
done
"$build/tests/generated" --rounds 12 --all-values --no-libm "$work"/*.qn | all
if command -v arm-none-eabi-gcc qemu-system-arm > /dev/null; then
    "$build/tests/generated" --arm "$nets"/{captured,integers,rounds}.mlir "$work/net-i8.qn" | all
fi
