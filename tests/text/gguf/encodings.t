needs: models

Encodings of the weights of a GGUF file as AIMET writes them: codes, blocks, a scale for each.

$ ln -s $MODELS/gguf g
$ model-convert g/stories260K-Q6_K.gguf -o s.onnx --dump-encodings e.json
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ head -2 e.json | cut -c1-150
> {"encodings":[
> {"axis":0,"block_size":32,"name":"blk.0.attn_k.weight","output_dtype":"int8","y_scale":[[0.0017089844,0.0015821457,0.0024261475,0.0026855469,0.0019741
$ grep -o '"block_size":32\|"output_dtype":"[a-z0-9]*"' e.json | sort | uniq -c
>      32 "block_size":32
>       5 "output_dtype":"float16"
>      32 "output_dtype":"int8"
$ model-convert g/stories260K-Q6_K.gguf -o s.onnx --dump-encodings e.json --encodings-version 1.0.0
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ grep -m1 attn_k e.json | sed 's/-128,//g; s/\(scale":[^]]*,[^]]*\),.*/\1/' | cut -c1-190
> {"block_size":32,"bw":8,"dtype":"INT","enc_type":"PER_BLOCK","is_sym":true,"name":"blk.0.attn_k.weight","offset":[-128],"scale":[0.0017089844,0.0015821457,0.0024261475,0.0026855469,0.0019741

A quantized model has those of its activations beside them.

$ model-convert g/stories260K-Q6_K.gguf --static-cache 16 --shape input_ids=1,1 -o d.qn && minmax-collect d.qn --random 1 -q -o r.json
$ quantize d.qn --ranges r.json --type w8a16 -q -o q.qn --dump-encodings e.json && grep -o '"output_dtype":"[a-z0-9]*"' e.json | sort | uniq -c
>     107 "output_dtype":"int16"
>      37 "output_dtype":"int8"

What an encodings file cannot say.

$ quantize g/stories260K-f32.gguf --type q4_1 --allow-fallback -q -o m.gguf
$ model-convert m.gguf -o s.onnx --dump-encodings no.json
! model-convert: value "blk.0.attn_k.weight": encodings 2.0.0 cannot say a minimum of each block, as its zero points are whole numbers
! hint: --allow-missing-encodings leaves such values out of the file
? 4
$ quantize g/stories260K-f32.gguf --type q8_0 --allow-fallback --tensor-type attn_v=q4_1 -q -o m.gguf && model-convert m.gguf -o s.onnx --dump-encodings e.json --allow-missing-encodings
! model-convert: encodings 2.0.0 cannot say those of 5 values, which are left out: blk.0.attn_v.weight, blk.1.attn_v.weight, blk.2.attn_v.weight, blk.3.attn_v.weight, blk.4.attn_v.weight
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 26 products of float activations, which it computes in 8 bits else
$ grep -o '"output_dtype":"[a-z0-9]*"' e.json | sort | uniq -c
>       5 "output_dtype":"float16"
>      27 "output_dtype":"int8"
$ model-convert g/stories260K-Q6_K.gguf -o s.onnx --dump-encodings no.json --encodings-version 0.6.1
! model-convert: value "blk.0.attn_k.weight": encodings 0.6.1 cannot say blocks
! hint: --allow-missing-encodings leaves such values out of the file
? 4
$ ls no.json
! ls: cannot access 'no.json': No such file or directory
? 2
