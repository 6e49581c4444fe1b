A target whose compiler takes no open dims gets a model without them: a batch becomes 1, which is told, or what --shape says.

$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<?x4x8xf32>) -> tensor<?x32xf32> {
+   %start = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
+   %rest = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<?x4x8xf32>, tensor<8x8xf32>) -> tensor<?x4x8xf32>
+   %n = "onnx.Shape"(%y) {start = 0 : si64, end = 1 : si64, onnx_node_name = "shape"} : (tensor<?x4x8xf32>) -> tensor<1xi64>
+   %dims = "onnx.Concat"(%n, %rest) {axis = 0 : si64, onnx_node_name = "dims"} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
+   %z = "onnx.Reshape"(%y, %dims) {onnx_node_name = "flat"} : (tensor<?x4x8xf32>, tensor<2xi64>) -> tensor<?x32xf32>
+   onnx.Return %z : tensor<?x32xf32>
+ }
+ END
$ minmax-collect net.mlir --random 1 --rows 2 -q -o r.json
$ quantize net.mlir --ranges r.json --target ethos-u55-128 -o q.tflite && model-info q.tflite | grep puts
> inputs      x  float32[1,4,8]  int8 scale 0.0078017176
> outputs     z  float32[1,32]  int8 scale 0.009823048 zero 3
! quantize: target ethos-u55-128 takes type i8, by the rules of tflite files
! quantize: input "x" is float32[?,4,8]: taken with a batch of 1 (--shape sets others)
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (256 of 256 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --target ethos-u55-128 --shape x=1,4,8 -q -o one.tflite && cmp q.tflite one.tflite
$ quantize net.mlir --ranges r.json --target ethos-u55-128 --shape x=3,4,8 -o three.tflite && model-info three.tflite | grep -o '\[3,[0-9,]*\]'
> [3,4,8]
> [3,32]
! quantize: target ethos-u55-128 takes type i8, by the rules of tflite files
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (256 of 256 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --ranges r.json --type i8 -o open.tflite && model-info open.tflite | grep -o '\[batch,[0-9,]*\]'
> [batch,4,8]
! quantize: coverage: 4 of 4 operators, 100.0 % of the weights (256 of 256 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ place open.tflite --target ethos-u55-128 -o placed.tflite && model-info placed.tflite | grep puts
> inputs      x  float32[1,4,8]  int8 scale 0.0078017176
> outputs     z  float32[1,32]  int8 scale 0.009823048 zero 3
! place: input "x" is float32[batch,4,8]: taken with a batch of 1 (--shape sets others)
$ place open.tflite --target ethos-u55-128 --shape x=3,4,8 -o placed.tflite && model-info placed.tflite | grep -o '\[3,[0-9,]*\]'
> [3,4,8]
> [3,32]
$ head -c 256 /dev/zero > s.raw; compile net.mlir --target ethos-u55-128 --input x=s.raw -o c.tflite && model-info c.tflite | grep -o '\[1,[0-9,]*\]'
> [1,4,8]
> [1,32]
! compile: target ethos-u55-128 takes type i8, by the rules of tflite files
! compile: input "x" is float32[?,4,8]: taken with a batch of 1 (--shape sets others)
$ mkdir bin && printf '#!/bin/sh\nmkdir -p $3 && cp $1 $3/model_vela.tflite\n' > bin/vela && chmod +x bin/vela
$ PATH=$PWD/bin:$PATH codegen open.tflite -p vela -o v.tflite && model-info v.tflite | grep puts
> inputs      x  float32[1,4,8]  int8 scale 0.0078017176
> outputs     z  float32[1,32]  int8 scale 0.009823048 zero 3
! codegen: input "x" is float32[batch,4,8]: taken with a batch of 1 (--shape sets others)

Another open dim is refused by name.

$ cat > lines.mlir <<'END'
+ func.func @net(%x: tensor<?x3x?xf32>) -> tensor<?x3x?xf32> {
+   %0 = "onnx.Relu"(%x) {onnx_node_name = "r"} : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
+   onnx.Return %0 : tensor<?x3x?xf32>
+ }
+ END
$ minmax-collect lines.mlir --shape x=1,3,20 --random 1 --rows 2 -q -o l.json
$ quantize lines.mlir --ranges l.json --target ethos-u55-128 -q -o l.tflite
! quantize: lines.mlir: input "x" is float32[?,3,?]: target ethos-u55-128 needs fixed shapes
! hint: --shape x=... fixes it
? 4
$ place lines.mlir --target ethos-u55-128 -q -o l.qn
! place: lines.mlir: input "x" is float32[?,3,?]: target ethos-u55-128 needs fixed shapes
! hint: --shape x=... fixes it
? 4
$ PATH=$PWD/bin:$PATH codegen lines.mlir -p vela -o l.tflite
! codegen: lines.mlir: input "x" is float32[?,3,?]: vela needs fixed shapes
! hint: --shape x=... fixes it
? 4
$ quantize lines.mlir --ranges l.json --target ethos-u55-128 --shape x=1,3,20 -q -o l.tflite
