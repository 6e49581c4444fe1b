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
> perplexity, first           4.198096 +/- 0.363023
> perplexity, second          4.308060 +/- 0.381062
> second / first              1.026194 +/- 0.009839
> correlation of logs         0.994247
> KL divergence, mean         0.016225 +/- 0.000960
> same top token             93.197279 +/- 1.200374 %
> change of p, mean          -0.256836 +/- 0.203506 %
> change of p, RMS            4.276499 +/- 0.313544 %
>
>               KL divergence change of p, %
> maximum            0.154316        26.1208
> 99.9 %             0.148927        24.5171
> 99 %               0.086747        12.5642
> 95 %               0.054497         6.2873
> 90 %               0.040767         3.8551
> 75 %               0.021790         0.5748
> median             0.009854        -0.0532
> 25 %               0.002247        -1.1227
> 10 %               0.000234        -4.4645
> 5 %                0.000065        -7.3160
> 1 %                0.000009       -12.7276
> 0.1 %              0.000002       -19.2127
> minimum            0.000001       -20.3242

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
