#!/usr/bin/env bash
# What --preference gives: the same codes, less code for size than for speed. Where constants are larger than the code of products for speed, the
# default is for speed; in a small net it is not, and a notice says so.
#
#     preferences.sh BUILD MODELS
set -euo pipefail
build=$1 models=$2
here=$(cd "$(dirname "$0")" && pwd)
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
make_each() { # MODEL: the three kinds of C, their sizes and times
    local preference
    for preference in default speed size; do
        "$build/tests/generated" --preference $preference "$1"
        rm -rf "${work:?}/$preference"
        "$build/bin/codegen" "$1" -p c --preference $preference --option name=net -o "$work/$preference" 2>"$work/$preference.txt"
        cc -std=c99 -O2 -c "$work/$preference/net.c" -o "$work/$preference/net.o"
        cc -O2 -I"$work/$preference" "$work/time.c" "$work/$preference/net.o" -o "$work/$preference/time"
        text[$preference]=$(size -A "$work/$preference/net.o" | awk '$1 == ".text" { print $2 }')
        time[$preference]=$("$work/$preference/time")
        echo "$preference: ${text[$preference]} bytes of code, ${time[$preference]} us a run"
    done
    [ "${text[size]}" -lt "${text[speed]}" ] && [ "${time[speed]}" -lt "${time[size]}" ]
}

make_each "$here/../models/exports/keras/mobilenet_v1.i8.tflite"
[ "${text[default]}" -lt "${text[speed]}" ]
grep -q 'preference speed computes' "$work/default.txt"
if [ ! -d "$models" ]; then
    echo "a net of larger constants is left out: the folder of public models is not there"
    [ -z "${CI:-}" ]
    exit
fi
make_each "$models/tflite/kws01_dscnn_int8.tflite"
cmp "$work/default/net.c" "$work/speed/net.c"
! grep -q 'preference speed computes' "$work/default.txt"
