A quantized model as others write it: QuantizeLinear and DequantizeLinear around a product. Its weight has the code -128.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
+   %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %z = "onnx.Constant"() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
+   %ws = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
+   %wz = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
+   %wc = "onnx.Constant"() {value = dense<[[-128, 127], [1, -127]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
+   %w = "onnx.DequantizeLinear"(%wc, %ws, %wz) : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32>
+   %xc = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<2x2xi8>
+   %xr = "onnx.DequantizeLinear"(%xc, %s, %z) : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32>
+   %p = "onnx.MatMul"(%xr, %w) {onnx_node_name = "product"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+   %pc = "onnx.QuantizeLinear"(%p, %ws, %z) : (tensor<2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<2x2xi8>
+   %y = "onnx.DequantizeLinear"(%pc, %ws, %z) : (tensor<2x2xi8>, tensor<f32>, tensor<i8>) -> tensor<2x2xf32>
+   return %y : tensor<2x2xf32>
+ }
+ END
$ model-convert net.mlir --passes none -o net.onnx

model-info says the encodings, however they are spelled.
$ model-info net.onnx | grep -A9 operators | grep -v "metadata\|lineage"
> operators   DequantizeLinear                     3
>             MatMul                               1
>             QuantizeLinear                       2
> parameters  8 (14 bytes)
> weights     float32                              2
>             int8                                 6
> MACs        28
> encodings   int8                                 3

Converted to a format that has encodings they are not nodes; an ONNX file keeps its nodes.
$ model-convert net.onnx -f text | grep -c "onnx.QuantizeLinear\|onnx.DequantizeLinear"
> 0
? 1
$ model-convert net.onnx -o net.qn && model-info net.qn | grep "operators\|encodings\|MatMul"
> operators   MatMul                               1
> encodings   int8                                 3
$ model-convert net.onnx -o same.onnx && model-info same.onnx | grep -A2 operators
> operators   DequantizeLinear                     3
>             MatMul                               1
>             QuantizeLinear                       2

Back in ONNX every code is as it was, and so are the results.
$ for m in net.mlir net.qn; do model-convert $m --passes none -o - -f onnx | model-convert - --passes none -f text | grep -o 'dense<"0x80[^"]*"\|dense<\[\[-128.*\]\]>'; done
> dense<[[-128, 127], [1, -127]]>
> dense<[[-128, 127], [1, -127]]>
$ model-convert net.qn -o back.onnx
$ for m in net.onnx same.onnx net.qn back.onnx; do run $m --random 1 --mode int -o $m.npz --format npz; cmp $m.npz net.onnx.npz; done
