Attention in one piece is quantized as the products that it computes by types of activations alone; a rule keeps it whole.
$ cat > net.mlir <<'EOF'
+ func.func @net(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
+   %a = "com.microsoft.MultiHeadAttention"(%x, %x, %x) {num_heads = 2, onnx_node_name = "heads"} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
+   return %a : tensor<1x4x8xf32>
+ }
+ EOF
$ minmax-collect net.mlir --random 8 -q -o ranges.json
$ quantize net.mlir --ranges ranges.json --type w8a16 -q -o q.onnx
$ model-info q.onnx | grep -c MultiHeadAttention
> 0
? 1
$ model-info q.onnx --text | grep -o 'onnx.MatMul' | sort | uniq -c | xargs
> 2 onnx.MatMul
$ model-diff net.mlir q.onnx --random 4 --outputs-only --threshold 50 > diff.txt; echo $?
> 0
$ for rule in --set-node-name=heads=none --set-op-type=MultiHeadAttention=none; do quantize net.mlir --ranges ranges.json --type i8 $rule -v -o q.onnx; done
! quantize: 1 of 1 operators stay float: 0.0 % of the multiply-accumulates are quantized
!   heads (MultiHeadAttention): the rule of node heads sets none
! quantize: 1 of 1 operators stay float: 0.0 % of the multiply-accumulates are quantized
!   heads (MultiHeadAttention): the rule of op type MultiHeadAttention sets none
$ quantize net.mlir --type wo-i8 -o q.onnx
! quantize: --type wo-i8 found nothing to quantize
