#!/usr/bin/env bash
# The generated C of TFLite's integer operators, one model each, beside the integer run: no code differs, and what is refused stands in a list.
# Likewise onnxruntime's LSTM with weights in codes.
#
#     operators.sh BUILD [ARGUMENT of codegen_cases ...]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
shift
python=$("$root/scripts/peers") || {
    echo "skipped: the peers (scripts/peers.txt) cannot be installed here"
    [ -z "${CI:-}" ] && exit 77 || exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/tests/peers/operator_cases.py" "$work"
"$python" "$root/tests/peers/quantized_cases.py" "$work/cases" >"$work/said" || { cat "$work/said" && exit 1; }
for folder in "$work"/cases/test_dynamicquantizelstm*; do mv "$folder/model.onnx" "$work/${folder##*/test_}.onnx"; done
rm -r "$work/cases" "$work/said"
"$build/tests/codegen_cases" --models "$work" --refused "$root/tests/codegen/refused_operators.txt" "$@"
