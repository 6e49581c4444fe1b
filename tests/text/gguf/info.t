needs: models

What is in a GGUF file: metadata, types of blocks, tensors. No graph is made of it.

$ ln -s $MODELS/gguf g; ln -s $MODELS/gguf-vocab v; ln -s $EXAMPLES/digits/digits.onnx .
$ model-info g/stories260K-F16.gguf | sed -n '1,30p;$p'
> file        GGUF 3, little-endian, alignment 32, 601248 bytes
> architecture llama
> name        llama
> parameters  292800
> types       F16         37 tensors          292096 elements          584192 bytes  16.0000 bits each
>             F32         11 tensors             704 elements            2816 bytes  32.0000 bits each
>             all         48 tensors          292800 elements          587008 bytes  16.0385 bits each
> metadata    tokenizer.ggml.tokens                   array    512 of string: <unk>, <s>, </s>, <0x00>, <0x01>, <0x02>, ...
>             tokenizer.ggml.scores                   array    512 of float32: 0, 0, 0, 0, 0, 0, ...
>             tokenizer.ggml.token_type               array    512 of int32: 2, 3, 3, 6, 6, 6, ...
>             tokenizer.ggml.model                    string   llama
>             general.architecture                    string   llama
>             general.name                            string   llama
>             tokenizer.ggml.unknown_token_id         uint32   0
>             tokenizer.ggml.bos_token_id             uint32   1
>             tokenizer.ggml.eos_token_id             uint32   2
>             tokenizer.ggml.seperator_token_id       uint32   4294967295
>             tokenizer.ggml.padding_token_id         uint32   4294967295
>             llama.context_length                    uint32   128
>             llama.embedding_length                  uint32   64
>             llama.feed_forward_length               uint32   172
>             llama.attention.head_count              uint32   8
>             llama.attention.head_count_kv           uint32   4
>             llama.block_count                       uint32   5
>             llama.rope.dimension_count              uint32   8
>             llama.attention.layer_norm_rms_epsilon  float32  1e-05
>             general.quantization_version            uint32   2
>             general.file_type                       uint32   1
> tensors     output.weight             F16     [512,64]                65536 bytes at 14240
>             output_norm.weight        F32     [64]                      256 bytes at 79776
>             blk.4.ffn_up.weight       F16     [172,64]                22016 bytes at 579232
$ model-info g/stories260K-F16.gguf --json | python3 -c "
+ import json, sys
+ info = json.load(sys.stdin)
+ print(info['kind'], info['version'], info['architecture'], info['parameters'], info['types'])
+ print(info['metadata']['llama.block_count'], info['metadata']['tokenizer.ggml.scores']['count'])
+ print(info['tensors'][0])"
> gguf 3 llama 292800 {'F16': {'bits_per_weight': 16.0, 'bytes': 584192, 'elements': 292096, 'tensors': 37}, 'F32': {'bits_per_weight': 32.0, 'bytes': 2816, 'elements': 704, 'tensors': 11}}
> {'type': 'uint32', 'value': 5} 512
> {'bytes': 65536, 'name': 'output.weight', 'offset': 14240, 'shape': [512, 64], 'shard': 1, 'type': 'F16'}
$ model-info g/stories260K-F16.gguf --metadata llama.block_count
> 5
$ model-info g/stories260K-F16.gguf --metadata tokenizer.ggml.tokens | sed -n 400,402p
> ▁very
> ▁do
> ▁lo
$ model-info g/stories260K-F16.gguf --metadata tokenizer.ggml.tokens --json | python3 -c "import json, sys; print(len(json.load(sys.stdin)))"
> 512
$ model-info g/stories260K-F16.gguf --tensor blk.0.attn_k.weight --values 10
> tensor      blk.0.attn_k.weight
> type        F16[32,64], 4096 bytes at 145568
> statistics  min -1.08203, max 0.996094, mean -0.00805951, rms 0.226277
>             0 of 2048 are 0, 0 NaN, 0 infinite
> values      [0,0]    0.21618652    0.18408203   -0.21704102   0.060272217   0.060272217  -0.028152466   -0.05065918 -0.0020217896
>             [0,8]   -0.06762695   -0.08648682
>             and 2038 more
$ model-info g/stories260K-F16.gguf --tensor blk.0.attn_k.weight --values 2 --json
> {
>   "bytes": 4096,
>   "inf": 0,
>   "max": 0.99609375,
>   "mean": -0.00805951131042093,
>   "min": -1.08203125,
>   "name": "blk.0.attn_k.weight",
>   "nan": 0,
>   "offset": 145568,
>   "rms": 0.22627654633043967,
>   "shape": [
>     32,
>     64
>   ],
>   "type": "F16",
>   "values": [
>     0.2161865234375,
>     0.18408203125
>   ],
>   "zeros": 0
> }
$ model-info g/stories260K-F16.gguf --tensor blk.0.attn_k.weigth
! model-info: g/stories260K-F16.gguf: there is no tensor "blk.0.attn_k.weigth" (did you mean "blk.0.attn_k.weight"?)
? 2
$ model-info g/stories260K-F16.gguf --metadata llama.blok_count
! model-info: g/stories260K-F16.gguf: there is no metadata "llama.blok_count" (did you mean "llama.block_count"?)
? 2
$ model-info g/stories260K-F16.gguf --verify
! model-info: g/stories260K-F16.gguf: --verify needs a native model or a context: only those carry digests of their weights
? 2
$ model-info g/stories260K-F16.gguf --values 3
! model-info: --values is for --tensor
? 2

A pipe is as good as a file; a file that holds a vocabulary alone is shown, but it is no model.

$ cat g/stories260K-F16.gguf | model-info | sed -n 1p
> file        GGUF 3, little-endian, alignment 32, 601248 bytes
$ model-info v/ggml-vocab-phi-3.gguf | sed -n 1,3p
> file        GGUF 3, little-endian, alignment 32, 726019 bytes
> architecture phi3
> name        Phi3
$ model-convert v/ggml-vocab-phi-3.gguf -o x.qn
! model-convert: v/ggml-vocab-phi-3.gguf: is a vocabulary alone, without tensors
! hint: quern model-info shows what is in it
? 4

Control characters of a chat template reach a pipe as they are, a table and messages never.

$ python3 -c "
+ import struct
+ text = lambda t: struct.pack('<Q', len(t)) + t
+ open('t.gguf', 'wb').write(b'GGUF' + struct.pack('<IQQ', 3, 0, 1) + text(b'tokenizer.chat_template') + struct.pack('<I', 8) + text(b'{{ x }}\x1b[31m\n'))"
$ model-info t.gguf --metadata tokenizer.chat_template | od -c | sed -n 1,3p
> 0000000   {   {       x       }   } 033   [   3   1   m  \n  \n
> 0000016
$ model-info t.gguf | tail -1
> metadata    tokenizer.chat_template  string   {{ x }}\x1b[31m\n

The tensors of two files, compared by name.

$ model-diff --weights g/stories260K-f32.gguf g/stories260K-F16.gguf | sed -n '1,4p;$p'
>    diff %   SQNR dB    max error    max |ref|  tensor
>    0.0200     73.97  0.000454903      1.32723  token_embd.weight (F32, F16)
>    0.0000     equal            0      4.42509  output_norm.weight (F32, F32)
>    0.0200     73.97  0.000454903      1.32723  output.weight (F32, F16)
>    0.0193     74.29  0.000482678      4.42509  all
$ model-diff --weights g/stories260K-f32.gguf g/stories260K-F16.gguf --threshold 75 >/dev/null
? 1
$ model-diff --weights g/stories260K-F16.gguf g/stories260K-F16.gguf --json | tail -4
>       "types": "F16, F16"
>     }
>   ]
> }
$ model-diff --weights g/stories260K-F16.gguf t.gguf | tail -3
>    diff %   SQNR dB    max error    max |ref|  tensor
>    0.0000     equal            0            0  all
> only in the first: output.weight, output_norm.weight, token_embd.weight, blk.0.attn_k.weight, blk.0.attn_norm.weight and 43 more
$ model-diff --weights g/stories260K-F16.gguf digits.onnx
! model-diff: digits.onnx: --weights is for GGUF files
? 2
