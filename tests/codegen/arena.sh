#!/usr/bin/env bash
# The caller's arena: two threads run one model at the same time, each in its own memory; what is too small or misaligned is refused; no
# memory that is written is static then; constants and the static arena lie in the sections that are asked for.
#
#     arena.sh BUILD
set -euo pipefail
build=$1 root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.c" <<'END_OF_C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"

enum { rounds = 50, most = 1 << 16 };
static unsigned char in[2][most], wanted[2][most];

static int run(void *arena, size_t bytes, const unsigned char *x, unsigned char *y)
{
    const void *inputs[1];
    void *outputs[1];
    inputs[0] = x;
    outputs[0] = y;
    return net_invoke_in(arena, bytes, inputs, outputs);
}

static void *many(void *which)
{
    const int i = *(const int *)which;
    unsigned char *y = malloc(most);
    void *arena = aligned_alloc(NET_ARENA_ALIGNMENT, NET_ARENA_BYTES);
    long wrong = 0, k;
    for (k = 0; k < rounds; ++k) {
        memset(arena, (int)k, NET_ARENA_BYTES);
        memset(y, 0, most);
        wrong += run(arena, NET_ARENA_BYTES, in[i], y) != 0 || memcmp(y, wanted[i], most) != 0;
    }
    free(arena);
    free(y);
    return (void *)wrong;
}

int main(void)
{
    static int which[2] = {0, 1};
    unsigned char *arena = aligned_alloc(NET_ARENA_ALIGNMENT, NET_ARENA_BYTES + 2 * NET_ARENA_ALIGNMENT);
    pthread_t threads[2];
    void *wrong[2];
    int i, k;
    for (i = 0; i < 2; ++i) {
        for (k = 0; k < most; ++k) in[i][k] = (unsigned char)rand();
        if (run(arena, NET_ARENA_BYTES, in[i], wanted[i]) != 0) return 1;
    }
    if (memcmp(wanted[0], wanted[1], most) == 0) return 2; /* the inputs must matter */
    if (run(arena, NET_ARENA_BYTES - 1, in[0], wanted[0]) != NET_ARENA_TOO_SMALL) return 3;
    if (run(arena + 1, NET_ARENA_BYTES, in[0], wanted[0]) != NET_ARENA_MISALIGNED) return 4;
    if (run(arena + NET_ARENA_ALIGNMENT, NET_ARENA_BYTES, in[0], wanted[0]) != 0) return 5;
    for (i = 0; i < 2; ++i)
        if (pthread_create(&threads[i], NULL, many, &which[i])) return 6;
    for (i = 0; i < 2; ++i) pthread_join(threads[i], &wrong[i]);
    free(arena);
    printf("%ld and %ld of %d wrong\n", (long)wrong[0], (long)wrong[1], rounds);
    return wrong[0] || wrong[1] ? 7 : 0;
}
END_OF_C
cd "$work"
flags="-std=c99 -pedantic -O2 -Wall -Wextra -Werror"
for preference in default speed; do
    "$build/bin/codegen" "$root/tests/models/exports/keras/unet.i8.tflite" -q -p c --preference $preference --option name=net -o .
    cc $flags -DQUERN_NO_STATIC_ARENA -c net.c
    [ -z "$(nm net.o | grep -E ' [bBdDcC] ')" ]
    if nm net.o | grep -w net_run; then exit 1; fi
    cc -std=c11 -O1 -g -fsanitize=thread -DQUERN_NO_STATIC_ARENA -o main main.c net.c -lpthread
    ./main
    cc -std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -o main main.c net.c -lpthread
    ./main
    cc $flags '-DQUERN_WEIGHTS_SECTION=__attribute__((section(".flash_of_weights")))' \
        '-DQUERN_ARENA_SECTION=__attribute__((section(".fast_memory")))' -c net.c
    bytes=$(awk '$2 == "NET_ARENA_BYTES" { print $3 }' net.h)
    size -A net.o | awk -v bytes="$bytes" '$1 == ".fast_memory" { arena = $2 == bytes } $1 == ".flash_of_weights" { weights = $2 > 1000 }
        $1 == ".bss" || $1 == ".data" { other += $2 } END { exit !(arena && weights && !other) }'
done
