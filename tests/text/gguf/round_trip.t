needs: models

A native model has the blocks of every type, ONNX codes and scales: the same bytes come back where only one block says them.

$ python3 $NETS/../../gguf/random_model.py r.gguf
$ for type in $(quantize --list-types | sed -n 's/  *GGUF: .*//p' | grep -v '_[sml]$'); do quantize r.gguf --type $type --pure -o q.gguf && model-convert q.gguf -o q.qn && model-convert q.qn -o n.gguf && cmp n.gguf q.gguf && model-convert q.gguf -o q.onnx && model-convert q.onnx -o o.gguf 2>/dev/null && cmp o.gguf q.gguf && echo $type; done
> f32
> f16
> bf16
> q4_0
> q4_1
> q5_0
> q5_1
> q8_0
> iq4_nl
> tq2_0
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 8 products of float activations, which it computes in 8 bits else
? 4
$ quantize r.gguf --type q4_k --pure -o q.gguf && model-convert q.gguf -o q.onnx && model-convert q.onnx -o no.gguf
! model-convert: tensor "token_embd.weight": codes and scales cannot be Q4_K again: several blocks have the same, and which it was is not known
! hint: a native model keeps the blocks as they are
? 4
$ ls no.gguf
! ls: cannot access 'no.gguf': No such file or directory
? 2

Files of several types; whatever operators are around the weights.

$ ln -s $MODELS/gguf g
$ for type in f32 F16 Q4_K_M Q6_K; do for opset in 21 24; do model-convert g/stories260K-$type.gguf --opset $opset -o s.onnx && model-convert s.onnx -o s.gguf && cmp s.gguf g/stories260K-$type.gguf && echo $type; done; done
> f32
> f32
> F16
> F16
> Q4_K_M
> Q4_K_M
> Q6_K
> Q6_K
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ model-convert g/stories260K-f32.gguf -o s.onnx --contrib && model-convert s.onnx -o s.gguf && cmp s.gguf g/stories260K-f32.gguf
$ quantize g/stories260K-f32.gguf --type wo-i4 -o s.onnx && model-convert s.onnx -o w.gguf
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 36 products of float activations, which it computes in 8 bits else
! model-convert: tensor "token_embd.weight": is encoded as int4[axis 1, blocks of 32, 1024 scales], which GGUF cannot say
! hint: quern quantize --type q8_0 and others of ggml write GGUF
? 4

What was read and what was written, as digests: a tensor that stays has the same.

$ quantize g/stories260K-Q4_K_M.gguf --type q8_0 --allow-fallback --allow-requantize -o s.gguf --report r.json 2>/dev/null; quantize s.gguf --type q8_0 --allow-fallback -o t.gguf --report s.json 2>/dev/null
$ python3 -c "
+ import json
+ first, second = ({t['name']: t for t in json.load(open(n))['tensors']} for n in ('r.json', 's.json'))
+ print(all((t['source_digest'] == t['digest']) == (t['from'] == t['to']) for t in first.values()))
+ print(all(t['digest'] == second[n]['source_digest'] == second[n]['digest'] and len(t['digest']) == 32 for n, t in first.items()))
+ print(first['token_embd.weight']['from'], round(first['token_embd.weight']['sqnr_db']), first['token_embd.weight']['max_error'] > 0)"
> True
> True
> q5_0 46 True
