needs: models

From a GGUF file to a context for two devices, as docs/gguf.md has it: weights in their blocks, activations of 16 bits.

$ ln -s $MODELS/gguf/stories260K-f32.gguf source.gguf
$ quantize source.gguf --type q4_0 --allow-fallback -o stories.gguf
! quantize: 6 tensors, 30.0 % of the parameters, have another type than asked for, as their rows are not whole blocks: output.weight Q8_0, blk.0.ffn_down.weight F16, blk.1.ffn_down.weight F16, blk.2.ffn_down.weight F16, blk.3.ffn_down.weight F16, blk.4.ffn_down.weight F16
$ model-convert stories.gguf --static-cache 128 --shape input_ids=1,16 -o prefill.qn
$ model-convert stories.gguf --static-cache 128 --shape input_ids=1,1 -o decode.qn

Ranges of a text, token by token, with the caches of the token before.

$ run stories.gguf --prompt "" -n 100 --json | sed -n 's/^    \([0-9]*\),*$/\1/p' > text.csv
$ (echo 1; cat text.csv) > ids.csv && seq 0 100 > positions.csv
$ minmax-collect decode.qn --input input_ids=ids.csv --input position_ids=positions.csv --stateful -o ranges.json
$ echo '{"kind": "rules", "version": 1, "op_types": {"RMSNormalization": "w8a16"}}' > rules.json
$ for graph in prefill decode; do quantize $graph.qn --ranges ranges.json --rules rules.json --type w8a16 -o $graph-q.qn && place $graph-q.qn --target htp --heuristic QualifyingOps -o $graph-placed.qn; done
! quantize: 32 weights in blocks of Q4_0, Q8_0, 76.6 % of the parameters, stay as they are; --allow-requantize quantizes them again
! quantize: 62 of 185 operators stay float: 94.5 % of the weights (1141 of 1207 KB as float32) and 96.7 % of the multiply-accumulates are quantized; see -v or --report for which and why
! place: 53 of 194 nodes run on cpu, as no other device can run them; see -v for which and why
! place: of these in real numbers: 25; the model was not quantized by the rules of qnn, the target's runtime, which quantize --target htp follows
! quantize: 32 weights in blocks of Q4_0, Q8_0, 76.6 % of the parameters, stay as they are; --allow-requantize quantizes them again
! quantize: 62 of 185 operators stay float: 94.5 % of the weights (1141 of 1207 KB as float32) and 96.7 % of the multiply-accumulates are quantized; see -v or --report for which and why
! place: 53 of 194 nodes run on cpu, as no other device can run them; see -v for which and why
! place: of these in real numbers: 25; the model was not quantized by the rules of qnn, the target's runtime, which quantize --target htp follows
$ model-info decode-placed.qn | grep -E '^(weights|devices|encodings| {12}[a-z0-9_]+ +[0-9]+$)'
> weights     float32                          17091
>             int64                              159
>             int8                             55040
>             q4_0                            204288
>             q8_0                             32768
> encodings   int16                              128
>             q4_0                                31
>             q8_0                                 1
> devices     cpu                                 53
>             htp                                141
$ codegen decode-placed.qn -p context --option name=decode --option graphs=prefill=prefill-placed.qn -o stories.qctx
! codegen: device "htp" has no back end: simulated on ref
! codegen: device "htp" has no back end: simulated on ref
$ run stories.qctx --prompt "" -n 40
> Once upon a time, there was a little girl named Lily. She loved to play outside in the sun. One day, she went to the par
$ run stories.gguf --prompt "" -n 40
> Once upon a time, there was a little girl named Lily. She loved to play outside in the sun. One day, she went to the par
$ run stories.qctx --prompt "Once upon a time, there was a little girl" -n 20
>  named Lily. She loved to play outside in the sun. One day

What stays on the host, and why.

$ place decode-q.qn --target htp -o p.qn -v 2>&1 | sed -n 's/.*(\([a-z.A-Z]*\)): htp/\1: htp/p' | sed 's/, need u*int8.*//' | sort | uniq -c
>       1 onnx.Gather: htp cannot run it: encoding per channel of input 0 is yes, need no
>       1 onnx.Gather: htp cannot run it: storage of inputs of input 0 is int64
>      31 onnx.MatMul: htp cannot run it: storage of the weight is uint8
>      10 onnx.RotaryEmbedding: htp cannot run it: operator RotaryEmbedding is not one of htp's
>      10 onnx.TensorScatter: htp cannot run it: operator TensorScatter is not one of htp's
