#!/bin/bash
# kill -9 of each writing tool, by turns at a random moment and while it writes: under the final name there is either nothing or the whole
# product, and nothing else is left, neither beside it nor in $TMPDIR. But for once a tool: what replaces a file has a name of its own between two
# system calls, link and rename, and there is no call that does both.
# usage: tests/slow/kill.sh BUILD_FOLDER [TIMES]; exit 1 if a half file was seen, or if a tool was hardly ever hit. The seed is printed: QUERN_KILL_SEED repeats a run.
set -u
bin=$(cd "$1/bin" && pwd) times=${2:-20}
here=$(cd "$(dirname "$0")/../.." && pwd)
seed=${QUERN_KILL_SEED:-$$}
RANDOM=$seed
work=$(mktemp -d)
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
trap 'rm -rf "$work"' EXIT
model=$here/examples/digits/digits.onnx
bad=0

# pause MICROSECONDS, less than a second
pause() { sleep "$(printf '0.%06d' "$1")"; }

# Until CHILD has a file without name in FOLDER, or has ended.
until_writing() { # FOLDER CHILD
    while kill -0 "$2" 2>/dev/null && ! readlink /proc/"$2"/fd/* 2>/dev/null | grep -q "^$1.* (deleted)\$"; do pause 500; done
}

# What a killed tool left behind.
leftovers() { # FOLDER
    find "$1" "$TMPDIR" -name '.quern*' -o -name 'quern-*'
}

# try NAME OUTPUT COMMAND...: the command writes OUTPUT (a file or a folder).
try() {
    local name=$1 output=$2 killed=0 absent=0 between=0 start stop span turn random left
    shift 2
    start=$(date +%s%N)
    "$@" || { echo "$name: fails when it is left alone"; bad=1; return; }
    stop=$(date +%s%N)
    span=$(((stop - start) / 1000 + 1))
    mv "$output" "$output.whole"
    for turn in $(seq "$times"); do
        rm -rf "$output"
        "$@" 2>/dev/null &
        local child=$!
        random=$((RANDOM * 32768 + RANDOM))
        if ((turn % 2)); then
            pause $((random % (span < 999999 ? span : 999999)))
        else
            until_writing "$(dirname "$output")" $child
            pause $((random % 3000))
        fi
        kill -9 $child 2>/dev/null && killed=$((killed + 1))
        wait $child 2>/dev/null
        left=$(leftovers "$(dirname "$output")")
        if [ -n "$left" ]; then
            between=$((between + 1))
            echo "$name: left $left ($(stat -c '%s bytes' $left))"
            rm -rf $left
        fi
        if [ ! -e "$output" ]; then
            absent=$((absent + 1))
        elif [ -d "$output" ]; then
            while read -r file; do
                cmp -s "$output/$file" "$output.whole/$file" || { echo "$name: half file $file"; bad=1; }
            done < <(cd "$output" && find . -type f)
        else
            cmp -s "$output" "$output.whole" || { echo "$name: half file"; bad=1; }
        fi
    done
    echo "$name: $times runs, $killed killed, $absent without product, the others whole"
    ((between <= 1)) || { echo "$name: leaves files"; bad=1; }
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

# The same as a GGUF file of float16 tensors.
python3 - >"$work/big.gguf" <<'END'
import random, struct, sys
random.seed(2)
text = lambda s: struct.pack("<Q", len(s)) + s.encode()
names = [f"blk.{i}.ffn_up.weight" for i in range(8)]
size = 2 * 1024 * 2048
head = b"GGUF" + struct.pack("<IQQ", 3, len(names), 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama")
for i, name in enumerate(names):
    head += text(name) + struct.pack("<IQQIQ", 2, 1024, 2048, 1, i * size)
row = random.randbytes(1 << 16)
row = bytes(b & 0xbf for b in row)
sys.stdout.buffer.write(head + b"\0" * (-len(head) % 32) + row * (size // len(row) * len(names)))
END

echo "seed $seed"
try model-convert "$work/c.onnx" "$bin/model-convert" "$work/big.qn" -o "$work/c.onnx"
try model-convert-native "$work/c.qn" "$bin/model-convert" "$work/c.onnx.whole" -o "$work/c.qn"
try minmax-collect "$work/r.json" "$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" --checkpoint-interval 0 -o "$work/r.json"
"$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" -o "$work/r.json" && cmp "$work/r.json" "$work/r.json.whole" || bad=1
try quantize "$work/q.onnx" "$bin/quantize" "$work/big.qn" --type wo-i8-sym -o "$work/q.onnx"
try run "$work/results" "$bin/run" "$model" --random 1 --rows 300 -o "$work/results"
try run-npz "$work/results.npz" "$bin/run" "$model" --random 1 --rows 2000 --format npz -o "$work/results.npz"
try codegen-cpp "$work/cpp" "$bin/codegen" "$work/big.qn" -p cpp -q -o "$work/cpp"
try codegen-context "$work/c.qctx" "$bin/codegen" "$work/big.qn" -p context -q -o "$work/c.qctx"
try quantize-gguf "$work/q.gguf" "$bin/quantize" "$work/big.gguf" --type q4_k --pure -q -o "$work/q.gguf"
exit $bad
