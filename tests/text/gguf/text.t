needs: models

A language model goes on from a prompt: 200 greedy tokens of stories260K, as llama2.c prints them.

$ ln -s $MODELS/gguf g
$ run g/stories260K-f32.gguf --prompt "" -n 200 > f32.txt && cat f32.txt
> Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. She wanted to play with it, but it was too high.
> Lily's mom said, "Lily, let's go to the park." Lily was sad and didn't know what to do. She said, "I want to play with your ball, but I can't find it."
> Lily was sad and didn't know what to do. She said, "I'm sorry, Lily. I didn't know what to do."
> Lily didn't want to help her mom, so she

The same from every form, on one thread and on two.

$ run g/stories260K-F16.gguf --prompt "" -n 200 --threads 1 | cmp - f32.txt
$ model-convert g/stories260K-f32.gguf -o s.qn && run s.qn --prompt "" -n 200 | cmp - f32.txt
$ model-convert g/stories260K-f32.gguf -o s.onnx && run s.onnx --prompt "" -n 200 | cmp - f32.txt
$ model-convert g/stories260K-f32.gguf -o s24.onnx --opset 24 && run s24.onnx --prompt "" -n 200 | cmp - f32.txt
$ run g/stories260K-f32.gguf --prompt "" -n 200 --reference | cmp - f32.txt
$ run g/stories260K-F16.gguf --prompt "" -n 200 --arithmetic ggml | cmp - f32.txt

A context of two graphs, for prompts and for single tokens.

$ model-convert g/stories260K-f32.gguf --static-cache 256 --shape input_ids=1,16 -o prefill.qn
$ model-convert g/stories260K-f32.gguf --static-cache 256 --shape input_ids=1,1 -o decode.qn
$ codegen decode.qn -p context --option name=decode --option graphs=prefill=prefill.qn -o s.qctx
$ run s.qctx --prompt "" -n 200 | cmp - f32.txt
$ run s.qctx --prompt "Once upon a time, there was a little girl" -n 20
>  named Lily. She loved to play outside in the park. One

Prompts from standard input, by ids, as JSON; what is drawn is the same for the same seed.

$ echo -n "Once upon a time" | run g/stories260K-Q6_K.gguf --prompt - -n 20 --echo
> Once upon a time, there was a little girl named Lily. She loved to play outsid
$ echo 1 403 407 261 378 | run g/stories260K-F16.gguf --prompt-tokens - -n 4
> , there was a
$ run g/stories260K-F16.gguf --prompt "Tim" -n 12 --temp 0.8 --seed 7 > a && run g/stories260K-F16.gguf --prompt "Tim" -n 12 --temp 0.8 --seed 7 --threads 1 | cmp - a
$ run g/stories260K-F16.gguf --prompt "Tim" -n 5 --json | grep -v second
> {
>   "ended": false,
>   "prompt_tokens": 2,
>   "text": " and Lily were play",
>   "tokens": [
>     269,
>     317,
>     382,
>     276,
>     337
>   ]
> }
$ run g/stories260K-F16.gguf --prompt "Tim" --chat auto
! run: g/stories260K-F16.gguf: the model's chat template is not known
! hint: give --chat NAME
? 4
$ ln -s $EXAMPLES/digits/digits.onnx . && run digits.onnx --prompt "Tim"
! run: digits.onnx: is not a language model: it has no int64 input input_ids [batch, sequence]
? 3
$ run g/stories260K-F16.gguf --prompt "Tim" --ctx 2 -n 9
>  and

The text as it is scored: README of the models has 4.1979, 4.1987, 4.2046 and 4.3064.

$ for m in f32 F16 Q6_K Q4_K_M; do run g/stories260K-$m.gguf --perplexity $MODELS/data/tinystories/stories_llamacpp.txt --ctx 128 | cut -c1-15; run g/stories260K-$m.gguf --arithmetic ggml --perplexity $MODELS/data/tinystories/stories_llamacpp.txt --ctx 128 | cut -c1-15; done
> perplexity 4.19
> perplexity 4.19
> perplexity 4.19
> perplexity 4.19
> perplexity 4.20
> perplexity 4.20
> perplexity 4.30
> perplexity 4.31

Native and GGUF keep every byte.

$ for m in f32 F16 Q6_K Q4_K_M; do model-convert g/stories260K-$m.gguf -o $m.qn && model-convert $m.qn -o $m.gguf && cmp $m.gguf g/stories260K-$m.gguf; done
