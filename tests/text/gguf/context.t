needs: models

Graphs of one model in one context have its weights once: a second graph adds what it computes, not what it computes with.

$ ln -s $MODELS/gguf g
$ for length in 1 16; do model-convert g/stories260K-f32.gguf --static-cache 64 --shape input_ids=1,$length -o $length.qn; done
$ codegen 1.qn -p context --option name=decode -o one.qctx && codegen 1.qn -p context --option name=decode --option graphs=prefill=16.qn -o two.qctx
$ one=$(stat -c %s one.qctx) two=$(stat -c %s two.qctx); echo $((two * 10 / one)) tenths
> 10 tenths
$ run g/stories260K-f32.gguf --prompt "Once upon a time, there was a little girl" -n 40 > text && run two.qctx --prompt "Once upon a time, there was a little girl" -n 40 | cmp - text
$ run g/stories260K-f32.gguf --prompt "Once upon" -n 20 > text && for length in 1 16; do run $length.qn --prompt "Once upon" -n 20 | cmp - text; done
$ codegen 1.qn -p context --option name=decode --option graphs=prefill=16.qn -o two.onnx && run two.onnx --prompt "Tim" -n 3 2>&1 | sed -n 1p
>  and Lily we

Each graph notices that the weights are damaged.

$ cp two.qctx bad.qctx && printf 'damage' | dd of=bad.qctx bs=1 seek=$(($(stat -c %s bad.qctx) - 4096)) conv=notrunc status=none
$ for graph in decode prefill; do run bad.qctx --graph $graph --random 1 -q > none; done
! run: random sample 0: part 0: section "arrays" 0 differs from its digest
! run: random sample 0: part 0: section "arrays" 0 differs from its digest
? 3
$ model-info --verify bad.qctx > none
! model-info: bad.qctx: section "blob" 0 differs from its digest
? 3

Profile ggml is decided when a context is made; what was decided is refused for texts, too.

$ head -c 300 $MODELS/data/tinystories/stories_llamacpp.txt > text.txt
$ model-convert g/stories260K-Q4_K_M.gguf --static-cache 64 --shape input_ids=1,1 -o d.qn
$ codegen d.qn -p context --option name=decode -o exact.qctx && codegen d.qn -p context --option name=decode --option arithmetic=ggml -o ggml.qctx
$ for model in d.qn "d.qn --arithmetic ggml" exact.qctx ggml.qctx; do run $model --perplexity text.txt --ctx 32 | sed 's/,.*//'; done
> perplexity 3.0424 +/- 0.6368 over 4 windows of 32 tokens
> perplexity 3.0438 +/- 0.6375 over 4 windows of 32 tokens
> perplexity 3.0424 +/- 0.6368 over 4 windows of 32 tokens
> perplexity 3.0438 +/- 0.6375 over 4 windows of 32 tokens
$ run exact.qctx --prompt "" --arithmetic ggml
! run: exact.qctx: is a context: --mode, --shape, --pin, --reference, --arithmetic, --stateful and --backend were decided when it was made
? 2
$ codegen d.qn -p context --option arithmetic=gmgl -o no.qctx
! codegen: d.qn: arithmetic profile "gmgl" is not known
? 4

A context that is too large for the machine is refused before anything is allocated.
$ run g/stories260K-f32.gguf --prompt x -n 1 --ctx 1000000000 --memory-limit 1G
! run: g/stories260K-f32.gguf: a state of 1000000000 positions takes 1304000000000 bytes, the limit is 1000 MB
! hint: --memory-limit sets another limit (default: the machine's memory)
? 4
