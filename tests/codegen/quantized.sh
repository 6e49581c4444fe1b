#!/usr/bin/env bash
# Public float models quantized here, generated as C: the codes of every value are those of the integer run, and the object needs nothing
# but memcpy and memset.
#
#     quantized.sh BUILD MODELS
set -euo pipefail
build=$1 models=$2
nets='tflite/kwt1_keyword_transformer_float32.tflite i8 w8a16
tflite/mnist_lstm_float32.tflite i8 i16-sym w8a16 wo-i8-sym
onnx/bert_toy_RANDOM_WEIGHTS.onnx i8 i16-sym w8a16 w8u16 dynamic-i8
onnx/magika_v3_3.onnx i8 dynamic-i8
onnx/mnist_cnn_opset8.onnx i8 i16-sym u8-asym dynamic-i8'
if [ ! -d "$models" ]; then
    echo "the folder of public models is not there: small exported models stand in"
    [ -z "${CI:-}" ] || exit 1
    models=$(dirname "$0")/../models/exports
    nets='keras/resnet.float.tflite i8 w8a16 i16-sym u8-asym
torch/tv_resnet.script.onnx i8 u8i8 i16-sym w8a16 w8u16 dynamic-i8
torch/tv_vit.script.onnx i8 dynamic-i8
torch/tv_mobilenet_v3.script.onnx i8'
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$build/bin:$PATH
quantized=()
while read -r model types; do
    name=$(basename "$model")
    minmax-collect "$models/$model" --random 1 --rows 2 -q -o "$work/ranges.json"
    for type in $types; do
        quantize "$models/$model" --ranges "$work/ranges.json" --type "$type" -q -o "$work/${name%%.*}-$type.qn"
        quantized+=("$work/${name%%.*}-$type.qn")
    done
done <<<"$nets"
# Resized line by line, and compared as codes; with all values as outputs, and with values in the arena.
minmax-collect "$(dirname "$0")/segment.mlir" --random 1 --rows 4 -q -o "$work/ranges.json"
for type in i8 u8-asym w8a16 w8u16; do
    quantize "$(dirname "$0")/segment.mlir" --ranges "$work/ranges.json" --type "$type" -q -o "$work/segment-$type.qn"
    quantized+=("$work/segment-$type.qn")
done
"$build/tests/generated" --no-libm "$work"/segment*.qn "$(dirname "$0")/segment.mlir"
"$build/tests/generated" --all-values --no-libm "${quantized[@]}" "$(dirname "$0")"/nets/*.mlir
"$build/tests/generated" --all-values "$(dirname "$0")"/nets/real/*.mlir # whose functions are those of a library
