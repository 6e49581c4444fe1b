Weights in ggml's blocks in Circle: onert refuses a bias of such a product and forgets its activation, so the file has them apart; it rounds
the data, which is said, and run computes it so.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<2x64xf32>) -> tensor<2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<0.01> : tensor<64x2xf32>} : () -> tensor<64x2xf32>
+   %b = "onnx.Constant"() {value = dense<[-4.0, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
+   %0 = "onnx.Gemm"(%x, %w, %b) {onnx_node_name = "product"} : (tensor<2x64xf32>, tensor<64x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
+   %1 = "onnx.Relu"(%0) {onnx_node_name = "relu"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
+   onnx.Return %1 : tensor<2x2xf32>
+ }
+ END
$ quantize net.mlir --type wo-i8 -o net.circle
! quantize: coverage: 1 of 2 operators, 98.5 % of the weights (512 of 520 bytes as float32) and 98.5 % of the multiply-accumulates are quantized
! quantize: 1 operator is computed by onert from data that it rounds to codes of 8 bits, as their weights are in blocks: operator "1" (FULLY_CONNECTED)
$ model-info net.circle | sed -n '/operators/,/parameters/p'
> operators   Add                                  1
>             Gemm                                 1
>             Relu                                 1
> parameters  130 (136 bytes)
$ run net.circle --random 1 --explain 2>&1 | grep -E "mode|Gemm"
> mode     int (codes, profile one), 2 threads, 1 sample, 1 run
> 1/product (Gemm): blocks ggml q8_0
$ model-convert net.circle -o again.circle; cmp net.circle again.circle && echo equal
> equal

Where blocks do not divide the depth, a matrix has one scale, as onert's kernel wants it.

$ sed 's/64/60/g' net.mlir > odd.mlir; quantize odd.mlir --type wo-i8 -o odd.circle; model-info odd.circle | grep -A1 encodings
> encodings   int8                                 1
> metadata    profile = one
! quantize: coverage: 1 of 2 operators, 98.4 % of the weights (480 of 488 bytes as float32) and 98.4 % of the multiply-accumulates are quantized

Beside data of 16 bits onert has no product with blocks, which is said; beside 8 bits no kernel has, and the weights are floats there.

$ minmax-collect net.mlir --random 1 --rows 4 -q -o r.json; quantize net.mlir --ranges r.json --type w4a16 -o wide.circle
! quantize: coverage: 2 of 2 operators, 98.5 % of the weights (512 of 520 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 2 operators are written as asked, which onert has no kernel for: operator "x/real" (DEQUANTIZE): form is int16 -> float32; operator "1" (QUANTIZE): form is float32 -> int16
$ quantize net.mlir --ranges r.json --type i8 --block 32 -o bytes.circle; model-info bytes.circle | grep -A2 encodings
> encodings   int8                                 2
>             uint8                                1
> metadata    profile = one
! quantize: --block 32: no kernel multiplies codes of 8 bits with weights in blocks: such products compute in float between them
! quantize: coverage: 2 of 2 operators, 98.5 % of the weights (512 of 520 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

What quantize says of a file is of the file, in which data are rounded.

$ quantize net.mlir --type wo-i8 --random 5 -o net.circle 2> said.txt; sed -n 's/.*wo-i8: \([0-9.]* dB\).*/\1/p' said.txt > one.txt; check net.mlir net.circle --random 5 --top 0 | sed -n 's/.*output "[^"]*": \([0-9.]* dB\).*/\1/p' > two.txt; cmp one.txt two.txt && echo equal
> equal
