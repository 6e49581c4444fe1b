Recurrent operators without a state among the inputs carry theirs: a result adds what came before, and half of the last one.
$ cat > rnn.mlir <<'END'
+ func.func @rnn(%x: tensor<1x1x1xf32>) -> (tensor<1x1x1x1xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[[1.0]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %r = "onnx.Constant"() {value = dense<[[[0.5]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %y = "onnx.RNN"(%x, %w, %r) {activations = ["Relu"], hidden_size = 1 : si64, onnx_node_name = "cell"} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1x1xf32>
+   return %y : tensor<1x1x1x1xf32>
+ }
+ END
$ model-convert rnn.mlir -o rnn.onnx && printf '\004\002\003' > x.bin
$ minmax-collect rnn.onnx --input 'x=x.bin:u8[1,1,1]' --stateful --no-histogram -o carried.json && grep -E '"(x|y|cell/h|cell/h_out)"' carried.json
> "cell/h":{"count":3,"max":4,"min":0,"runs":[[0,[0,4,4],[0,4,4]]]},
> "cell/h_out":{"count":3,"max":5,"min":4,"runs":[[0,[4,4,5],[4,4,5]]]},
> "x":{"count":3,"max":4,"min":2,"runs":[[0,[4,2,3],[4,2,3]]]},
> "y":{"count":3,"max":5,"min":4,"runs":[[0,[4,4,5],[4,4,5]]]}},
$ minmax-collect rnn.onnx --input 'x=x.bin:u8[1,1,1]' --no-histogram | grep '"y"'
> "y":{"count":3,"max":4,"min":2,"runs":[[0,[4,2,3],[4,2,3]]]}},

The ranges of the state do not hinder the quantizer, and any number of threads gives the same.
$ minmax-collect rnn.onnx --input 'x=x.bin:u8[1,1,1]' --stateful --no-histogram --threads 4 -o again.json && cmp carried.json again.json && quantize rnn.onnx --ranges carried.json --type i8 -v -o q.onnx
! quantize: coverage: 1 of 1 operators, 100.0 % of the weights (8 of 8 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 of 1 operators computes in float on weights that are codes: 100.0 % of the weights and 100.0 % of the multiply-accumulates
!   cell (RNN): computes in float on weights that are codes: operator RNN has no integer form; its steps have (pass unroll_recurrent)
