#!/bin/bash
# kill -9 at random moments of each writing tool: under the final name there is either nothing or the whole product.
# usage: tests/slow/kill.sh BUILD_FOLDER [TIMES]; exit 1 if a half file was seen. The seed is printed: QUERN_KILL_SEED repeats a run.
set -u
bin=$(cd "$1/bin" && pwd) times=${2:-20}
here=$(cd "$(dirname "$0")/../.." && pwd)
seed=${QUERN_KILL_SEED:-$$}
RANDOM=$seed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$here/examples/digits/digits.onnx
bad=0

# try NAME OUTPUT COMMAND...: the command writes OUTPUT (a file or a folder).
try() {
    local name=$1 output=$2 killed=0 absent=0 start stop span
    shift 2
    start=$(date +%s%N)
    "$@" || { echo "$name: fails when it is left alone"; bad=1; return; }
    stop=$(date +%s%N)
    span=$(((stop - start) / 1000 + 1))
    mv "$output" "$output.whole"
    for _ in $(seq "$times"); do
        rm -rf "$output" "$output".tmp-*
        "$@" 2>/dev/null &
        local child=$!
        sleep "$(printf '0.%06d' $(((RANDOM * 32768 + RANDOM) % (span < 999999 ? span : 999999))))"
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
}

echo "seed $seed"
try model-convert "$work/c.onnx" "$bin/model-convert" "$model" -o "$work/c.onnx"
try minmax-collect "$work/r.json" "$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" --checkpoint-interval 0 -o "$work/r.json"
"$bin/minmax-collect" "$model" --random 1 --rows 3000 --checkpoint "$work/r.check" -o "$work/r.json" && cmp "$work/r.json" "$work/r.json.whole" || bad=1
[ -x "$bin/quantize" ] && try quantize "$work/q.onnx" "$bin/quantize" "$model" --ranges "$work/r.json.whole" --type i8 -o "$work/q.onnx"
try run "$work/results" "$bin/run" "$model" --random 1 --rows 300 -o "$work/results"
try run-npz "$work/results.npz" "$bin/run" "$model" --random 1 --rows 2000 --format npz -o "$work/results.npz"
exit $bad
