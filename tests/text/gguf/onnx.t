needs: models

Every type is written in ONNX's standard operators and in com.microsoft's: the same text again.

$ ln -s $MODELS/gguf g
$ run g/stories260K-f32.gguf --prompt "" -n 50 > f32.txt
$ model-convert g/stories260K-f32.gguf -o contrib.onnx --contrib && run contrib.onnx --prompt "" -n 50 | cmp - f32.txt
$ for type in q4_0 q4_1 q5_0 q5_1 q8_0 iq4_nl; do quantize g/stories260K-f32.gguf --type $type --allow-fallback -o $type.gguf 2> fell && run $type.gguf --prompt "" -n 50 > text && model-convert $type.gguf -o s.onnx && run s.onnx --prompt "" -n 50 | cmp - text && model-convert $type.gguf -o s.onnx --contrib && run s.onnx --prompt "" -n 50 | cmp - text; done
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16, 30 weights of q4_1
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16, 30 weights of q5_1
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16

What was written is read as it was: codes in blocks, with their minima.

$ model-convert q4_1.gguf --opset 24 -o s.onnx && model-convert s.onnx -o s.qn && run q4_1.gguf --prompt "" -n 50 > text && run s.qn --prompt "" -n 50 | cmp - text
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
$ model-info s.qn | sed -n '/^operators/,/^weights/p'
> operators   Add                                 11
>             Attention                            5
>             Cast                                 1
>             Concat                               3
>             Expand                               1
>             Gather                               4
>             MatMul                              36
>             Mul                                  5
>             RMSNormalization                    11
>             Reshape                              2
>             RotaryEmbedding                     10
>             Shape                                2
>             Swish                                5
>             Unsqueeze                            2
> parameters  310215 (443960 bytes)
> weights     float32                          73152
$ model-convert s.qn --opset 24 -o again.onnx && run again.onnx --prompt "" -n 50 | cmp - text
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else

Of opset 21, too, attention is found in its parts, as `run` does by itself.

$ model-convert g/stories260K-f32.gguf -o s.onnx && model-convert s.onnx -f text -o - | grep -c '"onnx.Attention"\|"onnx.RotaryEmbedding"'
> 0
? 1
$ model-convert s.onnx --passes fuse_rotary,fuse_attention,drop_dead -o s.qn && model-info s.qn | grep 'Attention\|Rotary\|Softmax\|Slice\|Range'
>             Attention                            5
>             RotaryEmbedding                     10
$ run s.onnx --prompt "" -n 50 | cmp - f32.txt && run s.qn --prompt "" -n 50 | cmp - f32.txt
$ run s.onnx --prompt "" -n 50 --arithmetic ggml | cmp - f32.txt

The operators of either, of weights whose types are mixed; attention writes into caches that it is given.

$ mkdir m && model-convert g/stories260K-Q4_K_M.gguf -o m/model.onnx --contrib
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 5 weights of f16
$ model-convert m/model.onnx -f text -o - | grep -o '"[a-z.]*[A-Z][A-Za-z]*"(' | sort | uniq -c
>       5 "com.microsoft.GroupQueryAttention"(
>      31 "com.microsoft.MatMulNBits"(
>      20 "onnx.Add"(
>       2 "onnx.Cast"(
>      10 "onnx.Concat"(
>      91 "onnx.Constant"(
>       4 "onnx.Gather"(
>       5 "onnx.MatMul"(
>      50 "onnx.Mul"(
>       1 "onnx.ReduceSum"(
>      30 "onnx.Reshape"(
>       1 "onnx.Shape"(
>       5 "onnx.Sigmoid"(
>      11 "onnx.SimplifiedLayerNormalization"(
>      20 "onnx.Slice"(
>      11 "onnx.Sub"(
>      22 "onnx.Unsqueeze"(
$ cat m/genai_config.json
> {
>   "model": {
>     "bos_token_id": 1,
>     "context_length": 128,
>     "decoder": {
>       "filename": "model.onnx",
>       "head_size": 8,
>       "hidden_size": 64,
>       "inputs": {
>         "attention_mask": "attention_mask",
>         "input_ids": "input_ids",
>         "past_key_names": "past_key_values.%d.key",
>         "past_value_names": "past_key_values.%d.value",
>         "position_ids": "position_ids"
>       },
>       "num_attention_heads": 8,
>       "num_hidden_layers": 5,
>       "num_key_value_heads": 4,
>       "outputs": {
>         "logits": "logits",
>         "present_key_names": "present.%d.key",
>         "present_value_names": "present.%d.value"
>       },
>       "session_options": {
>         "log_id": "onnxruntime-genai",
>         "provider_options": []
>       }
>     },
>     "eos_token_id": 2,
>     "pad_token_id": 2,
>     "type": "llama",
>     "vocab_size": 512
>   },
>   "search": {
>     "do_sample": false,
>     "max_length": 128,
>     "num_beams": 1,
>     "past_present_share_buffer": true
>   }
> }
$ tr -d ' \n' < m/tokenizer.json | grep -o '"byte_fallback":[a-z]*\|"type":"[A-Za-z]*"\|"merges":.\{30\}\|"post_processor":.\{70\}'
> "type":"Replace"
> "type":"ByteFallback"
> "type":"Fuse"
> "type":"Strip"
> "type":"Sequence"
> "byte_fallback":true
> "merges":[["▁","t"],["h","e"],["▁","a"]
> "type":"BPE"
> "type":"Prepend"
> "type":"Replace"
> "type":"Sequence"
> "post_processor":{"pair":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"
> "type":"TemplateProcessing"
$ cat m/tokenizer_config.json
> {
>  "add_bos_token": true,
>  "add_eos_token": false,
>  "bos_token": "<s>",
>  "clean_up_tokenization_spaces": false,
>  "eos_token": "</s>",
>  "tokenizer_class": "PreTrainedTokenizerFast",
>  "unk_token": "<unk>"
> }
$ run g/stories260K-Q4_K_M.gguf --prompt "Tim" -n 20 > text && run m/model.onnx --prompt "Tim" -n 20 | cmp - text

Caches of a fixed size, for any number of tokens at once, for one and for 16; weights of 16 bits are not said.

$ for shape in "" "--shape input_ids=1,1" "--shape input_ids=1,16"; do model-convert g/stories260K-f32.gguf --static-cache 64 $shape --contrib -o s.onnx && run s.onnx --prompt "" -n 50 | cmp - f32.txt; done
$ model-convert s.onnx -f text -o - | grep -o '"[A-Za-z.]*\(Attention\|Scatter\|ReduceMax\)"(' | sort | uniq -c
>       5 "com.microsoft.GroupQueryAttention"(
>       2 "onnx.ReduceMax"(
$ model-convert g/stories260K-F16.gguf --static-cache 64 -o s.qn && model-convert s.qn --contrib -o s.onnx
! model-convert: written in standard operators, as com.microsoft's do not say them exactly: 36 weights of f16
$ model-convert g/stories260K-f32.gguf --static-cache 64 --contrib -o m/model.onnx && grep 'context_length\|max_length\|_mask' m/genai_config.json
>     "context_length": 64,
>     "max_length": 64,

A tokenizer that the form of tokenizer.json cannot say.

$ model-convert g/stories260K-f32.gguf -f text -o - | sed 's/\\"model\\":\\"llama\\"/\\"model\\":\\"bert\\"/' > words.mlir
$ mkdir n && model-convert words.mlir --contrib -o n/model.onnx; ls n
> genai_config.json
> model.onnx
! model-convert: tokenizer.json is not written: tokenizer model "bert" makes tokens otherwise than by merging pairs

What the option is not for.

$ model-convert g/stories260K-f32.gguf -o s.qn --contrib
! model-convert: --contrib is for ONNX outputs, not for native
? 2
$ model-convert $NETS/gemm_relu.mlir -o s.onnx --contrib
! model-convert: --contrib: the model has neither weights in blocks nor attention with caches that com.microsoft's operators could say
? 4
