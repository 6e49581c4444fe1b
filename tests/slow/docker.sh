#!/usr/bin/env bash
# The Dockerfile's steps without docker: each stage in a fresh Debian, what is committed as the tree, then the image's command on the example. Takes
# what a build takes, or two minutes where the compiler cache (CCACHE_DIR) knows the sources. usage: tests/slow/docker.sh
set -euo pipefail
[ -n "${QUERN_RECORDED:-}" ] || exec "$(dirname "$0")/record" "$(basename "$0")" "$0" "$@"
. "$(dirname "$0")/fresh_root"
stage="" runs=0
while read -r word rest; do
    case $word in
        FROM)
            [[ $rest =~ ^debian:12(-slim)?(\ AS\ ([a-z]+))?$ ]] || { echo "FAILED: an image that is not Debian's: $rest" && exit 1; }
            stage=${BASH_REMATCH[3]:-image}
            fresh_root "$stage"
            if [ "$stage" != image ]; then keep_compiled "$stage"; fi
            ;;
        COPY)
            if [[ $rest =~ ^--from=([a-z]+)\ (/[^ ]+)\ (/[^ ]+)$ ]]; then
                cp -a "$work/${BASH_REMATCH[1]}${BASH_REMATCH[2]}" "$work/$stage${BASH_REMATCH[3]}"
            elif [[ $rest =~ ^\.\ (/[^ ]+)$ ]]; then
                mkdir -p "$work/$stage${BASH_REMATCH[1]}" && git -C "$source" archive HEAD | tar -x -C "$work/$stage${BASH_REMATCH[1]}"
            else
                echo "FAILED: COPY $rest" && exit 1
            fi
            ;;
        RUN)
            inside "$stage" sh -c "$rest" >"$work/log" 2>&1 || { tail -20 "$work/log" && echo "FAILED: RUN $rest" && exit 1; }
            runs=$((runs + 1))
            ;;
        WORKDIR) mkdir -p "$work/$stage$rest" ;;
        ENTRYPOINT) [ "$rest" = '["quern"]' ] || { echo "FAILED: ENTRYPOINT $rest" && exit 1; } ;;
        CMD | '#'* | '') ;;
        *) echo "FAILED: this test does not know $word" && exit 1 ;;
    esac
done <"$source/examples/docker/Dockerfile"
[ "$stage" = image ] && [ "$runs" = 2 ] || { echo "FAILED: $runs steps, the last in stage \"$stage\"" && exit 1; }
cp "$source/examples/digits/digits.onnx" "$work/image/work/net.onnx"
inside image sh -c 'cd /work && quern model-info net.onnx' | grep -q 'image  float32\[batch,1,8,8\]' || { echo "FAILED: quern in the image" && exit 1; }
if inside image sh -c 'command -v g++ cmake'; then echo "FAILED: the image has what built it" && exit 1; fi
echo "docker: two stages, $(du -sm --exclude=proc --exclude=dev "$work/image" | cut -f1) MB, $(($(du -sm --exclude=proc --exclude=dev "$work/image" | cut -f1) - $(du -sm "$work/minimal" | cut -f1))) of them beyond a minimal Debian"
