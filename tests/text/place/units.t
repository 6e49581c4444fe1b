Devices are asked about integer units. The codes of 32 bits that the Add behind a product brings are its bias, with a scale for each channel: not an
operand that a device without such scales refuses.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x4x8xf32>) -> tensor<1x4x6xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x6xf32>} : () -> tensor<8x6xf32>
+   %b = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>} : () -> tensor<6xf32>
+   %0 = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x4x8xf32>, tensor<8x6xf32>) -> tensor<1x4x6xf32>
+   %1 = "onnx.Add"(%0, %b) {onnx_node_name = "sum"} : (tensor<1x4x6xf32>, tensor<6xf32>) -> tensor<1x4x6xf32>
+   %2 = "onnx.Sigmoid"(%1) {onnx_node_name = "gate"} : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
+   onnx.Return %2 : tensor<1x4x6xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 2 -q -o r.json
$ cat > devices <<'END'
+ #!/bin/bash
+ place "$@" --heuristic QualifyingOps --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1-3
+ END
$ chmod +x devices
$ quantize net.mlir --ranges r.json --type i8 -o q.qn; ./devices q.qn --target htp
> htp onnx.MatMul product
> htp onnx.Add sum
> htp onnx.Sigmoid gate
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (216 of 216 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type i8 -o q.onnx; ./devices q.onnx --target htp
> htp onnx.MatMul product
> htp onnx.Add sum
> htp onnx.Sigmoid gate
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (216 of 216 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

An Add of codes that no product made is asked about by itself.

$ sed 's/onnx.MatMul/onnx.Mul/; s/8x6xf32/1x4x6xf32/g; s/1x4x8xf32/1x4x6xf32/g' net.mlir | minmax-collect - --random 1 --rows 2 -q -o r2.json
$ sed 's/onnx.MatMul/onnx.Mul/; s/8x6xf32/1x4x6xf32/g; s/1x4x8xf32/1x4x6xf32/g' net.mlir | quantize - --ranges r2.json --type i8 -o m.qn; ./devices m.qn --target htp
> htp onnx.Mul product
> htp onnx.Add sum
> htp onnx.Sigmoid gate
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (120 of 120 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Constraints see the unit: an activation behind convolutions alone, products without anything behind them, operands of one shape.

$ cat > board.json <<'END'
+ {"kind": "target", "version": 1, "name": "board", "extends": "cpu", "basis": "estimate", "devices": [{"name": "npu",
+   "ops": [{"ops": ["MatMul"], "constraints": [{"check": "unit_length", "max": 2}]}, {"ops": ["Add"], "constraints": [{"check": "fused_behind", "is": "MatMul"}]},
+           {"ops": ["Sigmoid"], "constraints": [{"check": "fused_behind", "not": "none"}]}, {"ops": ["Mul"], "constraints": [{"check": "broadcast", "is": "none"}]}],
+   "costs": [{"op": "*", "seconds": 1e-9}]}]}
+ END
$ place q.qn --target ./board.json -v -o placed.qn 2>&1 | grep '^ *node'
>   node "gate" (onnx.Sigmoid): npu cannot run it: operator that it is fused behind is none, need not none
$ place m.qn --target ./board.json -v -o placed.qn 2>&1 | grep '^ *node'
>   node "sum" (onnx.Add): npu cannot run it: operator that it is fused behind is none, need MatMul
>   node "gate" (onnx.Sigmoid): npu cannot run it: operator that it is fused behind is none, need not none
$ sed 's/1x4x8xf32/4x8xf32/; s/tensor<8x6xf32>/tensor<6xf32>/g; s/dense<0.5> : tensor<6xf32>/dense<0.5> : tensor<6xf32>/; s/4x8xf32/1x4x6xf32/g; s/onnx.MatMul/onnx.Mul/' net.mlir > wide.mlir
$ place wide.mlir --target ./board.json --as float -v -o placed.qn 2>&1 | grep '^ *node'
>   node "product" (onnx.Mul): npu cannot run it: broadcasting is ranks, need none
>   node "sum" (onnx.Add): npu cannot run it: operator that it is fused behind is none, need MatMul
>   node "gate" (onnx.Sigmoid): npu cannot run it: operator that it is fused behind is none, need not none
