needs: models

What was written is read back, and every weight compared, decoded, bit for bit.

$ ln -s $MODELS/gguf g
$ for out in s.qn s.gguf s.mlir s.onnx "s.onnx --opset 24" "s.onnx --external-data"; do model-convert g/stories260K-Q4_K_M.gguf -o $out --verify > said && echo "$out $(tail -1 said)"; done
> s.qn verified     F16               5 tensors         55040 elements, greatest error 0
> s.gguf verified     F16               5 tensors         55040 elements, greatest error 0
> s.mlir verified     F16               5 tensors         55040 elements, greatest error 0
> s.onnx verified     F16               5 tensors         55040 elements, greatest error 0
> s.onnx --opset 24 verified     F16               5 tensors         55040 elements, greatest error 0
> s.onnx --external-data verified     F16               5 tensors         55040 elements, greatest error 0
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ model-convert s.onnx -o again.qn --verify | cut -c1-150
> verified     F32              11 tensors           704 elements, greatest error 0
> left out     37 tensors that the model that was read, or what was made of it, has not as constants: output.weight, token_embd.weight, blk.0.attn_k.wei
$ model-convert g/stories260K-Q6_K.gguf --static-cache 16 --shape input_ids=1,1 -o d.onnx --verify
> verified     Q8_0             32 tensors        237056 elements, greatest error 0
> verified     F32              11 tensors           704 elements, greatest error 0
> verified     F16               5 tensors         55040 elements, greatest error 0
! model-convert: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 31 products of float activations, which it computes in 8 bits else
$ cp $NETS/gemm_relu.mlir . && model-convert gemm_relu.mlir -o s.onnx --verify
! model-convert: gemm_relu.mlir: --verify is for models that came from GGUF
? 2
$ model-convert g/stories260K-f32.gguf --verify -o - | wc -c
> 0
! model-convert: --verify reads a file back: not with --dry-run, --contrib or standard output
? 2

Every type that is written, in rows of 256.

$ python3 $NETS/../../gguf/random_model.py r.gguf
$ for type in $(quantize --list-types | sed -n 's/  *GGUF: .*//p' | grep -v '_[sml]$'); do quantize r.gguf --type $type --pure -o q.gguf && model-convert q.gguf -o q.onnx --verify | sed -n 1p; done
> verified     F32              12 tensors        492288 elements, greatest error 0
> verified     F16               9 tensors        491520 elements, greatest error 0
> verified     BF16              9 tensors        491520 elements, greatest error 0
> verified     Q4_0              9 tensors        491520 elements, greatest error 0
> verified     Q4_1              9 tensors        491520 elements, greatest error 0
> verified     Q5_0              9 tensors        491520 elements, greatest error 0
> verified     Q5_1              9 tensors        491520 elements, greatest error 0
> verified     Q8_0              9 tensors        491520 elements, greatest error 0
> verified     Q2_K              9 tensors        491520 elements, greatest error 0
> verified     Q3_K              9 tensors        491520 elements, greatest error 0
> verified     Q4_K              9 tensors        491520 elements, greatest error 0
> verified     Q5_K              9 tensors        491520 elements, greatest error 0
> verified     Q6_K              9 tensors        491520 elements, greatest error 0
> verified     IQ4_NL            9 tensors        491520 elements, greatest error 0
> verified     IQ4_XS            9 tensors        491520 elements, greatest error 0
> verified     TQ1_0             9 tensors        491520 elements, greatest error 0
> verified     TQ2_0             9 tensors        491520 elements, greatest error 0
> verified     MXFP4             9 tensors        491520 elements, greatest error 0
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
