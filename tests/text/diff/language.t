needs: models

Two language models over one text: what they foresee.

$ ln -s $MODELS/gguf g; ln -s $MODELS/gguf-vocab v; ln -s $EXAMPLES/digits/digits.onnx .; ln -s $MODELS/data/tinystories/stories_llamacpp.txt text
$ model-diff g/stories260K-f32.gguf g/stories260K-f32.gguf --kld text --ctx 128 | sed -n 1,9p
> 441 tokens scored in 7 windows of 128
> perplexity, first           4.198096 +/- 0.363023
> perplexity, second          4.198096 +/- 0.363023
> second / first              1.000000 +/- 0.000000
> correlation of logs         1.000000
> KL divergence, mean         0.000000 +/- 0.000000
> same top token            100.000000 +/- 0.000000 %
> change of p, mean           0.000000 +/- 0.000000 %
> change of p, RMS            0.000000 +/- 0.000000 %
$ model-diff g/stories260K-f32.gguf g/stories260K-Q4_K_M.gguf --kld text --ctx 128
> 441 tokens scored in 7 windows of 128
> perplexity, first           4.19[...] +/- 0.363[...]
> perplexity, second          4.30[...] +/- 0.381[...]
> second / first              1.02[...] +/- 0.00983[...]
> correlation of logs         0.994[...]
> KL divergence, mean         0.0162[...] +/- 0.000960
> same top token             93.1[...] +/- 1.20[...] %
> change of p, mean          -0.256[...] +/- 0.203[...] %
> change of p, RMS            4.27[...] +/- 0.313[...] %
>
>               KL divergence change of p, %
> maximum            0.154[...]        26.1[...]
> 99.9 %             0.148[...]        24.5[...]
> 99 %               0.0867[...]        12.5[...]
> 95 %               0.0544[...]         6.28[...]
> 90 %               0.0407[...]         3.85[...]
> 75 %               0.0217[...]         0.574[...]
> median             0.00985[...]        -0.0532
> 25 %               0.00224[...]        -1.12[...]
> 10 %               0.000234        -4.46[...]
> 5 %                0.000065        -7.31[...]
> 1 %                0.000009       -12.7[...]
> 0.1 %              0.000002       -19.2[...]
> minimum            0.000001       -20.3[...]

Any form of a model, a context, a pipe.

$ model-convert g/stories260K-Q6_K.gguf --static-cache 128 --shape input_ids=1,32 -o q6.qn && codegen q6.qn -p context -o q6.qctx
$ model-convert g/stories260K-f32.gguf -o f32.onnx
$ model-diff g/stories260K-f32.gguf g/stories260K-Q6_K.gguf --kld text --ctx 128 | sed -n 1,7p > there
$ cat text | model-diff f32.onnx q6.qctx --kld - --ctx 128 | sed -n 1,7p | cmp - there
$ model-diff f32.onnx g/stories260K-Q6_K.gguf --kld text --ctx 128 --json | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin)
+ print(d['windows'], d['context'], d['scored'], sorted(d), round(d['same_top']['value'], 4))"
> 7 128 441 ['context', 'correlation', 'kl_divergence', 'kl_divergences', 'perplexity', 'probability_change', 'probability_change_rms', 'probability_changes', 'same_top', 'scored', 'windows'] 0.9932

What cannot be compared.

$ model-diff f32.onnx q6.qctx --kld text --ctx 4096
! model-diff: the text has 936 tokens, fewer than the 4096 of one window
? 3
$ model-diff f32.onnx q6.qctx --kld text --ctx 2
! model-diff: --ctx: got "2", need an integer of at least 3
? 2
$ model-diff f32.onnx q6.qctx --kld text --second-mode float
! model-diff: q6.qctx: is a context: its mode was decided when it was made
? 2
$ model-diff f32.onnx q6.qctx --ctx 128
! model-diff: --ctx is for --kld
? 2
$ model-diff f32.onnx q6.qctx --kld text --random 1
! model-diff: --kld compares probabilities over a text: samples, shapes and other comparisons are not for it
? 2
$ model-diff f32.onnx digits.onnx --kld text --ctx 128
! model-diff: digits.onnx: is not a language model: it has no int64 input input_ids [batch, sequence]
? 3
$ model-diff f32.onnx g/stories260K-Q6_K.gguf --kld nothing --ctx 128
! model-diff: nothing: No such file or directory
? 5
$ model-diff f32.onnx v/ggml-vocab-phi-3.gguf --kld text --ctx 128
! model-diff: v/ggml-vocab-phi-3.gguf: is a vocabulary alone, without tensors
! hint: quern model-info shows what is in it
? 4
