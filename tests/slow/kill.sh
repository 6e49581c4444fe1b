#!/bin/bash
# kill -9 of each writing tool, by turns at a random moment and while its temporary file is there: under the final name there is either
# nothing or the whole product.
# usage: tests/slow/kill.sh BUILD_FOLDER [TIMES]; exit 1 if a half file was seen, or if a tool was hardly ever hit. The seed is printed: QUERN_KILL_SEED repeats a run.
set -u
bin=$(cd "$1/bin" && pwd) times=${2:-20}
here=$(cd "$(dirname "$0")/../.." && pwd)
seed=${QUERN_KILL_SEED:-$$}
RANDOM=$seed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$here/examples/digits/digits.onnx
bad=0

# pause MICROSECONDS, less than a second
pause() { sleep "$(printf '0.%06d' "$1")"; }

# Until OUTPUT's temporary file is there, or CHILD has ended.
until_writing() { # OUTPUT CHILD
    while ! compgen -G "$1.tmp-*" >/dev/null && ! compgen -G "$1/*/*.tmp-*" >/dev/null && kill -0 "$2" 2>/dev/null; do pause 500; done
}

# try NAME OUTPUT COMMAND...: the command writes OUTPUT (a file or a folder).
try() {
    local name=$1 output=$2 killed=0 absent=0 start stop span turn random
    shift 2
    start=$(date +%s%N)
    "$@" || { echo "$name: fails when it is left alone"; bad=1; return; }
    stop=$(date +%s%N)
    span=$(((stop - start) / 1000 + 1))
    mv "$output" "$output.whole"
    for turn in $(seq "$times"); do
        rm -rf "$output" "$output".tmp-*
        "$@" 2>/dev/null &
        local child=$!
        random=$((RANDOM * 32768 + RANDOM))
        if ((turn % 2)); then
            pause $((random % (span < 999999 ? span : 999999)))
        else
            until_writing "$output" $child
            pause $((random % 3000))
        fi
        kill -9 $child 2>/dev/null && killed=$((killed + 1))
        wait $child 2>/dev/null
        if [ ! -e "$output" ]; then
            absent=$((absent + 1))
        elif [ -d "$output" ]; then
            while read -r file; do
                [[ $file == *.tmp-* ]] || cmp -s "$output/$file" "$output.whole/$file" || { echo "$name: half file $file"; bad=1; }
            done < <(cd "$output" && find . -type f)
        else
            cmp -s "$output" "$output.whole" || { echo "$name: half file"; bad=1; }
        fi
    done
    echo "$name: $times runs, $killed killed, $absent without product, the others whole"
    ((killed * 4 >= times)) || { echo "$name: hardly ever hit"; bad=1; }
}

# A model of 32 MB, so that converting it takes long enough to be hit.
python3 - >"$work/big.mlir" <<'END'
import random
random.seed(1)
print("func.func @big(%x0: tensor<1x1024xf32>) -> tensor<1x1024xf32> {")
for i in range(8):
    row = random.randbytes(1 << 16).replace(b"\x7f", b"\x3f").replace(b"\xff", b"\xbf").hex().upper()
    print(f'  %w{i} = "onnx.Constant"() {{value = dense<"0x{row * 64}"> : tensor<1024x1024xf32>}} : () -> tensor<1024x1024xf32>')
    print(f'  %x{i + 1} = "onnx.MatMul"(%x{i}, %w{i}) : (tensor<1x1024xf32>, tensor<1024x1024xf32>) -> tensor<1x1024xf32>')
print("  return %x8 : tensor<1x1024xf32>\n}")
END
"$bin/model-convert" "$work/big.mlir" -o "$work/big.qn" && rm "$work/big.mlir"

echo "seed $seed"
try model-convert "$work/c.onnx" "$bin/model-convert" "$work/big.qn" -o "$work/c.onnx"
try model-convert-native "$work/c.qn" "$bin/model-convert" "$work/c.onnx.whole" -o "$work/c.qn"
try minmax-collect "$work/r.json" "$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" --checkpoint-interval 0 -o "$work/r.json"
"$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" -o "$work/r.json" && cmp "$work/r.json" "$work/r.json.whole" || bad=1
try quantize "$work/q.onnx" "$bin/quantize" "$work/big.qn" --type wo-i8-sym -o "$work/q.onnx"
try run "$work/results" "$bin/run" "$model" --random 1 --rows 300 -o "$work/results"
try run-npz "$work/results.npz" "$bin/run" "$model" --random 1 --rows 2000 --format npz -o "$work/results.npz"
exit $bad
