#!/usr/bin/env bash
# What --preference gives: the same codes, less code for size than by default, which is for speed where the constants are larger than that code.
#
#     preferences.sh BUILD MODELS
set -euo pipefail
build=$1 models=$2
model=$models/tflite/kws01_dscnn_int8.tflite
if [ ! -d "$models" ]; then
    echo "the folder of public models is not there: a small exported model stands in"
    [ -z "${CI:-}" ] || exit 1
    model=$(dirname "$0")/../models/exports/keras/mobilenet_v1.i8.tflite
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/time.c" <<'END'
#include <stdio.h>
#include <time.h>
#include "net.h"
static unsigned char in[1 << 16], out[1 << 16];
int main(void)
{
    const void *inputs[] = {in};
    void *outputs[] = {out};
    long best = 0, i;
    for (i = 0; i < 30; ++i) {
        const clock_t from = clock();
        net_invoke(inputs, outputs);
        if (i == 0 || clock() - from < best) best = clock() - from;
    }
    printf("%ld\n", best);
    return 0;
}
END
declare -A text time
for preference in default speed size; do
    "$build/tests/generated" --preference $preference "$model"
    "$build/bin/codegen" "$model" -q -p c --preference $preference --option name=net -o "$work/$preference"
    cc -std=c99 -O2 -c "$work/$preference/net.c" -o "$work/$preference/net.o"
    cc -O2 -I"$work/$preference" "$work/time.c" "$work/$preference/net.o" -o "$work/$preference/time"
    text[$preference]=$(size -A "$work/$preference/net.o" | awk '$1 == ".text" { print $2 }')
    time[$preference]=$("$work/$preference/time")
    echo "$preference: ${text[$preference]} bytes of code, ${time[$preference]} us a run"
done
cmp "$work/default/net.c" "$work/speed/net.c"
[ "${text[size]}" -lt "${text[default]}" ] && [ "${time[default]}" -lt "${time[size]}" ]
