needs: models

What would be written, to the byte; the real run then writes as much.

$ ln -s $MODELS/gguf g
$ model-convert g/stories260K-Q4_K_M.gguf -o s.onnx --dry-run
> architecture llama
> parameters   292800
> weights      Q5_0             29 tensors        200192 elements        137632 bytes ->        230448
>              F16               5 tensors         55040 elements        110080 bytes ->        110080
>              Q8_0              3 tensors         36864 elements         39168 bytes ->         42624
>              F32              11 tensors           704 elements          2816 bytes ->          2816
>              all              48 tensors        292800 elements        289696 bytes ->        385968
> beside them  69032 bytes: shapes, tables and other constants
> operators    Add                                     36
>              And                                      5
>              Cast                                     6
>              Concat                                  21
>              DequantizeLinear                        32
>              Div                                     11
>              Expand                                   1
>              Gather                                  14
>              LessOrEqual                              5
>              MatMul                                  46
>              Mul                                     77
>              Range                                   10
>              ReduceMean                              11
>              Reshape                                 70
>              Shape                                   11
>              Sigmoid                                  5
>              Slice                                   20
>              Softmax                                  5
>              Sqrt                                    11
>              Sub                                     15
>              Transpose                               25
>              Unsqueeze                               46
>              Where                                    5
> would write  558779 bytes to s.onnx
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ ls s.onnx
! ls: cannot access 's.onnx': No such file or directory
? 2
$ model-convert g/stories260K-Q4_K_M.gguf -o s.onnx --dry-run --json > plan.json && model-convert g/stories260K-Q4_K_M.gguf -o s.onnx
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ model-info s.onnx --json > real.json && python3 -c "
+ import json, os
+ plan, real = json.load(open('plan.json')), json.load(open('real.json'))
+ print(plan['operators'] == real['ops'], plan['weight_bytes'] == real['weight_bytes'])
+ print(plan['files'] == [{'path': 's.onnx', 'bytes': os.path.getsize('s.onnx')}])"
> True True
> True

Any format, and several files.

$ for out in s.qn s.gguf s.mlir "s.onnx --external-data" "s.onnx --contrib" "s.onnx --opset 24"; do model-convert g/stories260K-f32.gguf -o $out --dry-run | sed -n 's/would write  //p' > plan; rm -f s.*; model-convert g/stories260K-f32.gguf -o $out; while read bytes of to name; do test $(stat -c %s $name) = $bytes && echo "$out: $name"; done < plan; done
> s.qn: s.qn
> s.gguf: s.gguf
> s.mlir: s.mlir
> s.onnx --external-data: s.onnx.data
> s.onnx --external-data: s.onnx
> s.onnx --contrib: s.onnx
> s.onnx --contrib: genai_config.json
> s.onnx --contrib: tokenizer.json
> s.onnx --contrib: tokenizer_config.json
> s.onnx --opset 24: s.onnx
$ ln -s $EXAMPLES/digits/digits.onnx && model-convert digits.onnx -o d.tflite --dry-run && model-convert digits.onnx -o d.tflite && stat -c %s d.tflite
> parameters   9978
> weights      float32           9 tensors          9978 elements         39912 bytes
> would write  41952 bytes to d.tflite
> 41952

Types of ggml: nothing is encoded to know their sizes.

$ quantize g/stories260K-f32.gguf --type q4_k_m --allow-fallback -o q.gguf --dry-run 2>/dev/null
> architecture llama
> parameters   292800
> weights      F32 to Q5_0      29 tensors        200192 elements        800768 bytes ->        137632
>              F32 to F16        5 tensors         55040 elements        220160 bytes ->        110080
>              F32 to Q8_0       3 tensors         36864 elements        147456 bytes ->         39168
>              F32              11 tensors           704 elements          2816 bytes ->          2816
>              all              48 tensors        292800 elements       1171200 bytes ->        289696
> would write  304096 bytes to q.gguf
$ ls q.gguf
! ls: cannot access 'q.gguf': No such file or directory
? 2
$ quantize g/stories260K-f32.gguf --type q4_k_m --allow-fallback -o q.gguf 2>/dev/null && stat -c %s q.gguf
> 304096
$ quantize g/stories260K-f32.gguf --type q8_0 -o q.gguf --dry-run
! quantize: g/stories260K-f32.gguf: tensor "blk.0.ffn_down.weight": rows of 172 elements are not whole blocks of Q8_0, which have 32
! hint: --allow-fallback takes F16 there
? 3
$ quantize g/stories260K-f32.gguf --type wo-i4 -o w.qn --dry-run | grep -v '^  *[A-Z][A-Za-z]*  *[0-9]*$'
> architecture llama
> parameters   292800
> weights      F32              48 tensors        292800 elements       1171200 bytes ->        190840
> beside them  65560 bytes: shapes, tables and other constants
> operators    Add                                     10
> would write  304640 bytes to w.qn
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized
$ quantize g/stories260K-f32.gguf --type wo-i4 -o w.qn && stat -c %s w.qn
> 304640
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized
$ model-convert g/stories260K-f32.gguf -o s.qn --json
! model-convert: --json is for --dry-run
? 2
$ quantize g/stories260K-f32.gguf --type q8_0 -o q.gguf --dry-run --report r.json
! quantize: --dry-run writes nothing, --report and --dump-encodings do
? 2
