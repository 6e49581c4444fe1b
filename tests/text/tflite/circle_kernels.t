What onert has no kernel for is said where Circle is written: codes of ONE's types are written as asked, as its compilers for NPUs take them; with --strict they are refused.
$ cp "$NETS/elu.mlir" elu.mlir
$ minmax-collect elu.mlir --random 1 --rows 4 -q -o r.json
$ quantize elu.mlir --ranges r.json --type u8-asym -o asked.circle && model-info asked.circle | grep 'Elu\|Recode'
> operators   Elu                                  1
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written as asked, which onert has no kernel for: operator "y" (ELU): form is uint8
$ quantize elu.mlir --ranges r.json --type u8-asym --strict -o strict.circle
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! quantize: onert has no kernel for what is asked of operator "y" (ELU): form is uint8
? 4
$ quantize elu.mlir --ranges r.json --type i16-sym -o wide.circle
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written as asked, which onert has no kernel for: operator "y" (ELU): form is int16

What joins codes of 16 bits moves them: operands are brought to the scale of the result before.
$ cat >join.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x8xf32> {
+   %a = "onnx.Sigmoid"(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %y = "onnx.Concat"(%x, %a) {axis = 1 : si64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
+   return %y : tensor<1x8xf32>
+ }
+ END
$ minmax-collect join.mlir --random 1 --rows 4 -q -o join.json && quantize join.mlir --ranges join.json --type i16-sym -q -o join.circle && model-info join.circle | grep Recode
>             quern.Recode                         1
$ model-convert join.circle -q -o again.circle && cmp join.circle again.circle; model-diff join.mlir join.circle --random 1 --outputs-only | tail -1 | awk '{print ($1 > 60)}'
> 1

Codes of other types become real numbers where onert has a kernel for those; int8 codes are made by way of uint8 ones.
$ quantize elu.mlir --ranges r.json --type i8 -o ours.circle && model-info ours.circle | grep 'Elu\|Recode'
> operators   Elu                                  1
>             quern.Recode                         3
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y" (ELU): form is int8
$ quantize elu.mlir --ranges r.json --type i8 -o elu.qn && model-convert elu.qn --strict -o no.circle
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! model-convert: onert has no kernel for what is asked of operator "y" (ELU): form is int8
? 4
$ codegen elu.qn -p circle --option strict=yes -o no.circle
! codegen: elu.qn: onert has no kernel for what is asked of operator "y" (ELU): form is int8
? 4
$ model-convert elu.qn -o by_qn.circle -q && cmp by_qn.circle ours.circle && model-convert ours.circle -o again.circle && cmp again.circle ours.circle

Operators for which it has no kernel at all are said, too, and weights alone of products have the one scale that its kernel takes.
$ cat >ceil.mlir <<'END'
+ func.func @net(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
+   %y = "onnx.Ceil"(%x) {onnx_node_name = "ceil"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
+   return %y : tensor<2x4xf32>
+ }
+ END
$ model-convert ceil.mlir -o ceil.circle
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y" (CEIL): on float32
$ quantize "$NETS/gemm_relu.mlir" --type wo-i8-sym -o w.circle && model-info w.circle | grep 'encodings.*int8'
> encodings   int8                                 1
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized
$ quantize "$NETS/gemm_relu.mlir" --type wo-i8-sym -o w.qn && model-info w.qn | grep 'encodings.*int8'
> encodings   int8 per channel                     1
! quantize: coverage: 1 of 2 operators, 66.7 % of the weights (16 of 24 bytes as float32) and 66.7 % of the multiply-accumulates are quantized

onert computes groups as if they were one, and of several rows beside weights in codes it writes beyond its memory.
$ cat >conv.mlir <<END
+ func.func @net(%x: tensor<1x6x5x5xf32>) -> tensor<1x6x3x3xf32> {
+   %w = "onnx.Constant"() {value = dense<0.5> : tensor<6x2x3x3xf32>} : () -> tensor<6x2x3x3xf32>
+   %y = "onnx.Conv"(%x, %w) {group = 3} : (tensor<1x6x5x5xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x3x3xf32>
+   return %y : tensor<1x6x3x3xf32>
+ }
+ END
$ model-convert conv.mlir -o groups.circle
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y_nhwc_inner" (CONV_2D): attribute groups is 3
$ model-convert conv.mlir --strict -o groups.circle
! model-convert: onert has no kernel for what is asked of operator "y_nhwc_inner" (CONV_2D): attribute groups is 3
? 4
$ quantize conv.mlir --type wo-i8-sym -o hybrid.circle
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (432 of 432 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ sed 's/group = 3/group = 1/; s/6x2x3x3/6x6x3x3/g; s/1x6x/3x6x/g' conv.mlir >rows.mlir && quantize rows.mlir --type wo-i8-sym -o rows.circle && model-info rows.circle | grep -c 'encodings.*int8'
> 0
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (1296 of 1296 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y_nhwc_inner" (CONV_2D): attribute batch is 3
? 1
$ sed 's/tensor<3x6x/tensor<?x6x/g' rows.mlir >open.mlir && quantize open.mlir --type wo-i8-sym -o open.circle && model-info open.circle | grep -c 'encodings.*int8'
> 0
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (1296 of 1296 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 operator is written between DEQUANTIZE and QUANTIZE, as there is no kernel for the codes: operator "y_nhwc_inner" (CONV_2D): attribute batch is -1
? 1

What onert's kernels refuse or compute otherwise beside their types is said, too: Transpose of integers, Div of integers, a constant in front of a product, parts of several sizes.
$ cat >net.sh <<'END'
+ cat >one.mlir <<NET
+ func.func @net(%x: tensor<$1>) -> tensor<$2> {
+   $4
+   %y = $3 -> tensor<$2>
+   return %y : tensor<$2>
+ }
+ NET
+ model-convert one.mlir -o one.circle
+ END
$ bash net.sh 2x6xi32 6x2xi32 '"onnx.Transpose"(%x) {perm = [1, 0]} : (tensor<2x6xi32>)'
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y" (TRANSPOSE): attribute element is INT32
$ bash net.sh 2x6xi32 2x6xi32 '"onnx.Div"(%x, %c) : (tensor<2x6xi32>, tensor<i32>)' '%c = "onnx.Constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>'
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y" (DIV): attribute element is INT32
$ bash net.sh 6x5xf32 4x5xf32 '"onnx.MatMul"(%c, %x) : (tensor<4x6xf32>, tensor<6x5xf32>)' '%c = "onnx.Constant"() {value = dense<0.5> : tensor<4x6xf32>} : () -> tensor<4x6xf32>'
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "y" (BATCH_MATMUL): attribute constant_data is 1
$ bash net.sh 2x6xf32 2x1xf32 '"onnx.Neg"(%a) : (tensor<2x1xf32>)' '%s = "onnx.Constant"() {value = dense<[1, 4, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %a, %b, %c = "onnx.Split"(%x, %s) {axis = 1 : si64} : (tensor<2x6xf32>, tensor<3xi64>) -> (tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x1xf32>)'
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "a" (SPLIT_V): on float32

Its product of a matrix has two dims, whatever it is told: rows of data of more dims are laid out before and behind it.
$ bash net.sh 2x3x4xf32 2x3x5xf32 '"onnx.MatMul"(%x, %c) : (tensor<2x3x4xf32>, tensor<4x5xf32>)' '%c = "onnx.Constant"() {value = dense<0.5> : tensor<4x5xf32>} : () -> tensor<4x5xf32>' && model-info one.circle | grep -o 'Gemm \|MatMul \|Reshape *[0-9]'
> Gemm 
> Reshape                              2
$ model-convert one.circle --passes none -f text -o - | grep -c 'name = "y/Gemm"'; model-convert one.circle -q -o again.circle && cmp one.circle again.circle
> 0
$ model-diff one.mlir one.circle --random 1 --outputs-only | tail -1
>     equal   1.000000            0      1.09184  y (output)
$ bash net.sh ?x3x4xf32 ?x3x5xf32 '"onnx.MatMul"(%x, %c) : (tensor<?x3x4xf32>, tensor<4x5xf32>)' '%c = "onnx.Constant"() {value = dense<0.5> : tensor<4x5xf32>} : () -> tensor<4x5xf32>' && model-convert one.circle --passes none -f text -o - | grep -o 'name = "y[^"]*"'
> name = "y/rows"
> name = "y/product"
> name = "y"

An output that operators read, too, is a copy: onert puts something else in its place behind the last of them.
$ cat >read.mlir <<'END'
+ func.func @net(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
+   %a = "onnx.Abs"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
+   %b = "onnx.Neg"(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
+   %c = "onnx.Exp"(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>
+   return %c, %a : tensor<2x4xf32>, tensor<2x4xf32>
+ }
+ END
$ for f in tflite circle; do model-convert read.mlir -o read.$f && echo $f $(model-convert read.$f --passes none -f text -o - | grep -c Reshape) && model-convert read.$f -o again.$f && cmp read.$f again.$f; done; model-info read.circle | head -4
> tflite 0
> circle 1
> graph       net
> inputs      x  float32[2,4]
> outputs     c  float32[2,4]
>             a  float32[2,4]
$ model-diff read.mlir read.circle --random 1 --outputs-only | tail -2
>     equal   1.000000            0     0.943534  a (output)
>     equal   1.000000            0     0.863413  c (output)

Loops end it: they are said.
$ cat >loop.mlir <<'END'
+ func.func @net(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
+   %n = "onnx.Constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
+   %none = "onnx.NoValue"() : () -> none
+   %y = "onnx.Loop"(%n, %none, %x) ({
+   ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<1x4xf32>):
+     %so = "onnx.Neg"(%s) : (tensor<1x4xf32>) -> tensor<1x4xf32>
+     %co = "onnx.Identity"(%c) : (tensor<i1>) -> tensor<i1>
+     onnx.Yield %co, %so : tensor<i1>, tensor<1x4xf32>
+   }) {onnx_node_name = "loop"} : (tensor<i64>, none, tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ model-convert loop.mlir -o loop.circle
! model-convert: 1 operator is written as asked, which onert has no kernel for: operator "loop/goes_on" (WHILE): onert 0.1 ends in its loops

ONNX: the lowest opset whose operators onnxruntime has kernels for; what it cannot read is said.
$ model-convert ceil.mlir --opset 28 -o ceil.onnx
! model-convert: written as asked, which onnxruntime has no kernel for: opset 28: it reads those up to 26
$ model-convert ceil.mlir --opset 28 --strict -o no.onnx
! model-convert: onnxruntime has no kernel for what is asked of opset 28: it reads those up to 26
? 4

Integers that a kernel does not take, and more dims than it takes, are said.
$ cat >integers.mlir <<'END'
+ func.func @net(%x: tensor<3x4xi64>, %y: tensor<2x2x2x2x2xf32>) -> (tensor<1x4xi64>, tensor<1x2x2x2x2xf32>) {
+   %i = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %a = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
+   %g = "onnx.Gather"(%x, %i) {axis = 0 : si64, onnx_node_name = "gather"} : (tensor<3x4xi64>, tensor<1xi64>) -> tensor<1x4xi64>
+   %s = "onnx.ReduceSum"(%y, %a) {onnx_node_name = "sum"} : (tensor<2x2x2x2x2xf32>, tensor<1xi64>) -> tensor<1x2x2x2x2xf32>
+   return %g, %s : tensor<1x4xi64>, tensor<1x2x2x2x2xf32>
+ }
+ END
$ model-convert integers.mlir -o integers.circle; model-convert integers.mlir -o integers.tflite
! model-convert: 2 operators are written as asked, which onert has no kernel for: operator "g" (GATHER): attribute element is INT64; operator "s" (SUM): rank of inputs of input 0 is 5
