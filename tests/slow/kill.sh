#!/bin/bash
# kill -9 of each writing tool, by turns at a random moment and while it writes: under the final name there is either nothing or the whole
# product, and nothing else is left, neither beside it nor in $TMPDIR. Where a file is replaced, its name has the old one or the new one, whole;
# between two system calls, link and rename, for which there is no single one, the new file has a name of its own: who is killed just then leaves
# it, as .quern-XXXXXXXX and whole. That is allowed to tools that replace a file here, once a shot, and to nobody else.
# usage: tests/slow/kill.sh BUILD_FOLDER [SHOTS at each of all writers; by default 20 at the main ones]; exit 1 if a half file or a leftover was seen, or if a tool was hardly ever hit.
# The seed is printed: QUERN_KILL_SEED repeats a run.
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

# Is each file of the product absent or whole? `old`: what it may be instead. Where the first is there, so are the others.
# whole NAME OLD FILE...
whole() {
    local name=$1 old=$2 output first=$3
    for output in "${@:3}"; do
        if [ ! -e "$output" ]; then
            if [ -e "$first" ]; then echo "$name: $first is there without $output"; return 1; fi
        elif [ -d "$output" ]; then
            while read -r file; do
                cmp -s "$output/$file" "$output.whole/$file" || { echo "$name: half file $file"; return 1; }
            done < <(cd "$output" && find . -type f)
        elif ! cmp -s "$output" "$output.whole" && { [ -z "$old" ] || ! cmp -s "$output" "$old"; }; then
            echo "$name: half file $output"
            return 1
        fi
    done
}

# try NAME OUTPUTS COMMAND...: the command writes OUTPUTS, files or one folder. replace NAME OUTPUT COMMAND...: over an older file.
# checkpoint NAME OUTPUTS COMMAND...: replaces files of its own while it goes on.
try() { shots none "$@"; }
replace() { shots old "$@"; }
checkpoint() { shots own "$@"; }
shots() {
    local over=$1 name=$2 killed=0 absent=0 between=0 start stop span turn random left count old=
    local -a outputs
    IFS=' ' read -ra outputs <<<"$3"
    shift 3
    start=$(date +%s%N)
    "$@" || { echo "$name: fails when it is left alone"; bad=1; return; }
    stop=$(date +%s%N)
    span=$(((stop - start) / 1000 + 1))
    for output in "${outputs[@]}"; do mv "$output" "$output.whole"; done
    if [ "$over" = old ]; then
        old=$work/old
        echo "what was there before" >"$old"
    fi
    for turn in $(seq "$times"); do
        rm -rf "${outputs[@]}"
        [ -z "$old" ] || cp "$old" "${outputs[0]}"
        "$@" 2>/dev/null &
        local child=$!
        random=$((RANDOM * 32768 + RANDOM))
        if ((turn % 2)); then
            pause $((random % (span < 999999 ? span : 999999)))
        else
            until_writing "$(dirname "${outputs[0]}")" $child
            pause $((random % 3000))
        fi
        kill -9 $child 2>/dev/null && killed=$((killed + 1))
        wait $child 2>/dev/null
        left=$(leftovers "$(dirname "${outputs[0]}")")
        if [ -n "$left" ]; then
            between=$((between + 1))
            count=$(wc -l <<<"$left")
            if [ "$over" = none ] || [ "$count" -gt 1 ]; then
                echo "$name: left $left ($(stat -c '%s bytes' $left))"
                bad=1
            elif [ "$over" = old ] && ! cmp -s "$left" "${outputs[0]}.whole"; then
                echo "$name: left $left, which is not whole"
                bad=1
            fi
            rm -rf $left
        fi
        [ -e "${outputs[0]}" ] || absent=$((absent + 1))
        whole "$name" "$old" "${outputs[@]}" || bad=1
    done
    echo "$name: $times shots, $killed killed, $absent without product, the others whole, $between left a file between two names"
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
collect=("$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" -o "$work/r.json")
checkpoint minmax-collect "$work/r.json" "${collect[@]}" --checkpoint-interval 0
"${collect[@]}" && cmp "$work/r.json" "$work/r.json.whole" || bad=1
try quantize "$work/q.onnx" "$bin/quantize" "$work/big.qn" --type wo-i8-sym -o "$work/q.onnx"
try run "$work/results" "$bin/run" "$model" --random 1 --rows 300 -o "$work/results"
try run-npz "$work/results.npz" "$bin/run" "$model" --random 1 --rows 2000 --format npz -o "$work/results.npz"
try codegen-cpp "$work/cpp" "$bin/codegen" "$work/big.qn" -p cpp -q -o "$work/cpp"
try codegen-context "$work/c.qctx" "$bin/codegen" "$work/big.qn" -p context -q -o "$work/c.qctx"
try quantize-gguf "$work/q.gguf" "$bin/quantize" "$work/big.gguf" --type q4_k --pure -q -o "$work/q.gguf"
[ $# -gt 1 ] || exit $bad
# With a number of shots: the other writers, too.
try model-convert-tflite "$work/c.tflite" "$bin/model-convert" "$work/big.qn" -o "$work/c.tflite"
try model-convert-circle "$work/c.circle" "$bin/model-convert" "$work/big.qn" -o "$work/c.circle"
try model-convert-text "$work/c.mlir" "$bin/model-convert" "$work/big.qn" -o "$work/c.mlir"
replace model-convert-over "$work/over.onnx" "$bin/model-convert" "$work/big.qn" -o "$work/over.onnx"
try codegen-c "$work/made" "$bin/codegen" "$model" -p c -q -o "$work/made"
try place "$work/placed.qn" "$bin/place" "$work/big.qn" --target cpu --heuristic QualifyingOps -q -o "$work/placed.qn"
exit $bad
