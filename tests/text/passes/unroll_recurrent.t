A GRU of two steps becomes its steps, so that TFLite can have it, which lacks the operator.
$ cat > gru.mlir <<'END'
+ func.func @gru(%x: tensor<2x1x1xf32>) -> (tensor<2x1x1x1xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[[1.0], [2.0], [0.5]]]> : tensor<1x3x1xf32>} : () -> tensor<1x3x1xf32>
+   %r = "onnx.Constant"() {value = dense<[[[0.5], [1.0], [2.0]]]> : tensor<1x3x1xf32>} : () -> tensor<1x3x1xf32>
+   %y = "onnx.GRU"(%x, %w, %r) {hidden_size = 1 : si64, onnx_node_name = "cell"} : (tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<2x1x1x1xf32>
+   return %y : tensor<2x1x1x1xf32>
+ }
+ END
$ model-convert gru.mlir --passes unroll_recurrent,drop_dead -o steps.qn && model-info steps.qn | sed -n '/^operators/,/^[a-np-z]/p' | grep -v '^weights'
> operators   Add                                  6
>             Concat                               2
>             MatMul                               6
>             Mul                                  4
>             Reshape                              6
>             Sigmoid                              2
>             Split                                4
>             Sub                                  2
>             Tanh                                 2
> parameters  31 (92 bytes)
$ printf '\004\002' > x.bin; for net in gru.mlir steps.qn; do run $net --input 'x=x.bin:u8[2,1,1]' -q -o out && od -An -tf4 out/Result_0/y.raw; done
>       0.01733923      0.10703035
>       0.01733917      0.10703027

Open lengths, and gates that are clipped, stay one operator.
$ sed 's/2x1x1xf32>) -> (tensor<2x1x1x1/?x1x1xf32>) -> (tensor<?x1x1x1/; s/tensor<2x/tensor<?x/g' gru.mlir > open.mlir && model-convert open.mlir --passes unroll_recurrent -o open.qn && model-info open.qn | grep -c GRU
> 1
$ model-convert open.mlir -o open.tflite
! model-convert: node "cell" (GRU): tflite has no such operator, and its steps cannot be written
! hint: the number of steps and of rows must be known (--shape fixes them), and no gate clipped
? 4
$ sed 's/hidden_size/clip = 1.0 : f32, hidden_size/' gru.mlir > clip.mlir && model-convert clip.mlir -o clip.tflite
! model-convert: node "cell" (GRU): tflite has no such operator, and its steps cannot be written
! hint: the number of steps and of rows must be known (--shape fixes them), and no gate clipped
? 4

Weights that are codes already are those of the steps, too; the quantizer writes the steps first.
$ quantize gru.mlir --type wo-i8-sym -q -o codes.qn && model-convert codes.qn -o steps.tflite && model-info steps.tflite | grep -c Tanh
> 1
$ quantize gru.mlir --type wo-i8 -q -o codes.tflite && model-info codes.tflite | grep -c Tanh
> 1
