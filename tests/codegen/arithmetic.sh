#!/usr/bin/env bash
# Another arithmetic than the model names: --option arithmetic=NAME gives the codes of `run --mode int --arithmetic NAME`, which are others than the
# model's own. That those of tflm are TensorFlow Lite Micro's is what `tests/peers/peer micro` holds.
#
#     arithmetic.sh BUILD
set -euo pipefail
build=$1
keras=$(cd "$(dirname "$0")" && pwd)/../models/exports/keras
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/generated" --arithmetic tflm "$keras"/*.i8.tflite "$keras"/*.i16.tflite
"$build/tests/generated" --arithmetic onnx "$keras"/{resnet,text}.i8.tflite
make() { "$build/bin/codegen" "$keras/$1" -q -p c --option name=net "${@:3}" -o "$work/$2"; }
make text.i8.tflite own
make text.i8.tflite tflite --option arithmetic=tflite
make text.i8.tflite tflm --option arithmetic=tflm
cmp "$work/own/net.c" "$work/tflite/net.c"
grep -q code_of_product "$work/own/net.c"
if grep -q code_of_product "$work/tflm/net.c"; then exit 1; fi
refused() { # WORDS ARGUMENTS...
    local code=0
    make "${@:2}" 2>"$work/said" || code=$?
    [ $code = 2 ] && grep -q "$1" "$work/said"
}
refused 'option arithmetic is "tfm", need one of' text.i8.tflite none --option arithmetic=tfm
refused 'of models that compute on codes' text.float.tflite none --option arithmetic=tflm --option mode=float
