onnxruntime's optimizer makes QLinearAveragePool, which knows no dilations, of an AveragePool between codes, and refuses the graph then: a Sum of one operand keeps the two apart. Means that count their padding and round up are others there.
$ cat >pool.sh <<'END'
+ cat >pool.mlir <<NET
+ func.func @net(%x: tensor<1x2x7x7xf32>) -> tensor<1x2x$2x$2xf32> {
+   %a = "onnx.Relu"(%x) : (tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
+   %y = "onnx.AveragePool"(%a) {kernel_shape = [2, 2], $1} : (tensor<1x2x7x7xf32>) -> tensor<1x2x$2x$2xf32>
+   return %y : tensor<1x2x$2x$2xf32>
+ }
+ NET
+ minmax-collect pool.mlir --random 1 --rows 4 -q -o r.json
+ for form in qdq qoperator; do quantize pool.mlir --ranges r.json --type u8i8 --form $form -q -o pool.onnx && echo $form $(model-info pool.onnx | grep -o 'QLinearAveragePool\|AveragePool\|Sum'); done
+ model-convert pool.onnx -q -o again.onnx && cmp pool.onnx again.onnx
+ END
$ bash pool.sh 'dilations = [2, 2]' 5
> qdq AveragePool Sum
> qoperator AveragePool Sum
$ bash pool.sh 'dilations = [1, 1]' 6
> qdq AveragePool
> qoperator QLinearAveragePool
$ bash pool.sh 'strides = [2, 2], ceil_mode = 1, pads = [1, 1, 1, 1], count_include_pad = 1' 4
> qdq AveragePool Sum
> qoperator AveragePool Sum
$ bash pool.sh 'strides = [2, 2], ceil_mode = 1' 4
> qdq AveragePool
> qoperator QLinearAveragePool
