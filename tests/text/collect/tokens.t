needs: models

A language model is calibrated over a text, in windows from the beginning each, and quantized by that.

$ ln -s $MODELS/gguf g; ln -s $MODELS/data/tinystories/stories_llamacpp.txt text; ln -s $EXAMPLES/digits/digits.onnx .
$ model-convert g/stories260K-f32.gguf -o s.qn; model-convert g/stories260K-f32.gguf -o s.onnx
$ minmax-collect s.qn --tokens text --ctx 128 -o r.json && python3 -c "
+ import json
+ r = json.load(open('r.json'))
+ print(r['samples'], len(r['values']), r['values']['logits']['count'] == 7 * 128 * 512)"
> 7 161 True
$ for i in i8 w8a16 i16-sym; do quantize s.qn --ranges r.json --type $i -q -o q.qn; run q.qn --perplexity text --ctx 128 | cut -c1-14; done
> perplexity 4.[...]
> perplexity 4.2
> perplexity 4.1
$ cat text | minmax-collect s.onnx --tokens - --ctx 128 -o r.json && quantize s.onnx --ranges r.json --type w8a16 -q -o q.onnx && run q.onnx --perplexity text --ctx 128 | cut -c1-14
> perplexity 4.2
$ quantize s.qn --type dynamic-i8 -o d.qn && run d.qn --perplexity text --ctx 128 | cut -c1-14
> perplexity 4.2
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized

Blocks of a file stay as they are.

$ model-convert g/stories260K-Q4_K_M.gguf -o q4.qn; minmax-collect q4.qn --tokens text --ctx 128 -o r.json && quantize q4.qn --ranges r.json --type w8a16 -q -o q.qn && run q.qn --perplexity text --ctx 128 | cut -c1-14
> perplexity 4.3

Graphs of fixed shapes read a window in pieces; threads change nothing.

$ model-convert g/stories260K-f32.gguf --static-cache 128 --shape input_ids=1,32 -o fixed.qn
$ minmax-collect fixed.qn --tokens text --chunks 2 -o r.json && python3 -c "
+ import json
+ r = json.load(open('r.json'))
+ print(r['samples'], r['values']['logits']['count'] == 2 * 128 * 512)"
> 8 True
$ minmax-collect s.qn --tokens text --ctx 64 --threads 1 -o 1.json && minmax-collect s.qn --tokens text --ctx 64 --threads 3 | cmp - 1.json

An importance matrix: the same from every form of the model, read by quantize.

$ minmax-collect g/stories260K-f32.gguf --tokens text --ctx 128 --imatrix im.gguf && model-info im.gguf | sed -n '3,9p;$p'
> types       F32         72 tensors            2880 elements           11520 bytes  32.0000 bits each
> metadata    general.type         string   imatrix
>             imatrix.datasets     array    1 of string: text
>             imatrix.chunk_count  uint32   7
>             imatrix.chunk_size   uint32   128
> tensors     blk.0.attn_k.weight.in_sum2       F32     [64]                      256 bytes at 4480
>             blk.0.attn_k.weight.counts        F32     [1]                         4 bytes at 4736
>             output.weight.counts              F32     [1]                         4 bytes at 17056
$ for m in s.qn fixed.qn; do minmax-collect $m --tokens text --ctx 128 --threads 1 --imatrix other.gguf && cmp im.gguf other.gguf; done
$ minmax-collect s.onnx --tokens text --ctx 128 --imatrix other.gguf && model-diff --weights im.gguf other.gguf --threshold 120 >/dev/null
$ minmax-collect g/stories260K-f32.gguf --tokens text --ctx 128 --chunks 1 --imatrix other.gguf && model-diff --weights im.gguf other.gguf --threshold 120 >/dev/null
? 1
$ quantize g/stories260K-f32.gguf --type q4_k --allow-fallback -q -o plain.gguf; quantize g/stories260K-f32.gguf --type q4_k --allow-fallback --imatrix im.gguf -q -o weighed.gguf
$ for m in plain weighed; do model-diff g/stories260K-f32.gguf $m.gguf --kld text --ctx 128 | sed -n '6,7p'; done
> KL divergence, mean         0.016225 +/- 0.000960
> same top token             93.197279 +/- 1.200374 %
> KL divergence, mean         0.0139[...] +/- 0.00089[...]
> same top token             95.011338 +/- 1.037895 %

What is refused.

$ minmax-collect digits.onnx --tokens text
! minmax-collect: digits.onnx: is not a language model: it has no int64 input input_ids [batch, sequence]
? 3
$ minmax-collect s.qn --tokens text --ctx 4096
! minmax-collect: s.qn: the text has 936 tokens, fewer than the 4096 of one window
? 3
$ minmax-collect fixed.qn --tokens text --ctx 48
! minmax-collect: fixed.qn: windows of 48 tokens are not whole runs of the model, which reads 32 at once
? 2
$ minmax-collect fixed.qn --tokens text --ctx 256
! minmax-collect: fixed.qn: windows of 256 tokens are more than the 128 positions of the model
? 2
$ minmax-collect s.qn --tokens text --random 1
! minmax-collect: --tokens takes the place of samples
? 2
$ minmax-collect s.qn --imatrix im.gguf --random 1
! minmax-collect: --ctx, --chunks and --imatrix are for --tokens
? 2
$ minmax-collect s.qn --tokens text --imatrix im.gguf --per-channel
! minmax-collect: --imatrix: options of ranges are not for it
? 2
$ minmax-collect s.qn
! minmax-collect: no samples
! hint: give --input-list, --input or --tokens
? 2
