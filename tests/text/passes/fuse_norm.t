LayerNormalization as Flax has it, exported by way of TensorFlow: sums for means, the variance of two of them, kept from being negative.
$ cat > flax.mlir <<'END'
+ func.func @net(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
+   %axes = "onnx.Constant"() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
+   %quarter = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
+   %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %eps = "onnx.Constant"() {value = dense<0.000001> : tensor<f32>} : () -> tensor<f32>
+   %rows = "onnx.Constant"() {value = dense<[2, 3, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
+   %scale = "onnx.Constant"() {value = dense<[[[0.5, -1.0, 2.0, 0.25]]]> : tensor<1x1x4xf32>} : () -> tensor<1x1x4xf32>
+   %bias = "onnx.Constant"() {value = dense<[[[1.0, 0.0, -0.5, 3.0]]]> : tensor<1x1x4xf32>} : () -> tensor<1x1x4xf32>
+   %s = "onnx.ReduceSum"(%x, %axes) {keepdims = 0 : si64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x3xf32>
+   %m = "onnx.Mul"(%s, %quarter) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
+   %xx = "onnx.Mul"(%x, %x) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
+   %ss = "onnx.ReduceSum"(%xx, %axes) {keepdims = 0 : si64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x3xf32>
+   %mm = "onnx.Mul"(%ss, %quarter) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
+   %m2 = "onnx.Mul"(%m, %m) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
+   %v = "onnx.Sub"(%mm, %m2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
+   %v0 = "onnx.Max"(%zero, %v) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
+   %vr = "onnx.Reshape"(%v0, %rows) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3x1xf32>
+   %mr = "onnx.Reshape"(%m, %rows) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3x1xf32>
+   %ve = "onnx.Add"(%vr, %eps) : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
+   %r = "onnx.Sqrt"(%ve) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
+   %i = "onnx.Reciprocal"(%r) : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
+   %k = "onnx.Mul"(%i, %scale) : (tensor<2x3x1xf32>, tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
+   %d = "onnx.Sub"(%x, %mr) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
+   %n = "onnx.Mul"(%d, %k) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
+   %y = "onnx.Add"(%n, %bias) : (tensor<2x3x4xf32>, tensor<1x1x4xf32>) -> tensor<2x3x4xf32>
+   return %y : tensor<2x3x4xf32>
+ }
+ END
$ cat > operators <<'END'
+ model-convert "$1" --passes fuse_layernorm,fuse_rmsnorm,fuse_channelnorm -f text | tee fused.mlir | grep -o '"onnx[.][A-Z][A-Za-z]*' | grep -v 'Constant\|Return' | cut -c7- | xargs
+ END
$ sh operators flax.mlir
> LayerNormalization
$ model-diff flax.mlir fused.mlir --random 8 | grep -c '^ *1[0-9][0-9][.].* y (output)'
> 1

ReduceMean, a division, Relu and no scale or bias are the same.
$ sed -e 's/"onnx.ReduceSum"(%xx, %axes)/"onnx.ReduceMean"(%xx, %axes)/; /%mm = /d; s/%mm, /%ss, /; s/"onnx.Max"(%zero, %v) : (tensor<f32>, /"onnx.Relu"(%v) : (/; s/0.25> : tensor<f32>/4.0> : tensor<f32>/; s/"onnx.Mul"(%s, %quarter)/"onnx.Div"(%s, %quarter)/; /%k = /d; s/"onnx.Mul"(%d, %k) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>/"onnx.Mul"(%d, %i) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>/; /%y = /d; s/return %y/return %n/' flax.mlir > plain.mlir
$ sh operators plain.mlir
> LayerNormalization
$ model-diff plain.mlir fused.mlir --random 8 | grep -c '^ *1[0-9][0-9][.].* n (output)'
> 1

A sum by another number is no mean, a variance of other numbers is not that of x, and rows that are laid across x are not its rows.
$ sed 's/dense<0.25> : tensor<f32>/dense<0.5> : tensor<f32>/' flax.mlir > half.mlir
$ sh operators half.mlir | grep -c Normalization
> 0
? 1
$ sed 's/"onnx.Mul"(%x, %x)/"onnx.Mul"(%d, %d)/' flax.mlir | awk '/%mr = |%d = /{next} {print} /%m = /{print "    %mr = \"onnx.Reshape\"(%m, %rows) : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3x1xf32>\n    %d = \"onnx.Sub\"(%x, %mr) : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>"}' > other.mlir
$ sh operators other.mlir | grep -c Normalization
> 0
? 1
$ sed 's/2x3x4/3x3x3/g; s/tensor<2x3xf32>/tensor<3x3xf32>/g; s/2x3x1/3x1x3/g; s/.2, 3, 1./[3, 1, 3]/; s/1x1x4/1x1x3/g; s/, 0.25.../]]]/; s/, 3.0.../]]]/; s/0.25>/0.33333334>/; /%k = /s/-> tensor<3x3x3xf32>/-> tensor<3x1x3xf32>/; /%n = /s/%k) : (tensor<3x3x3xf32>, tensor<3x3x3xf32>/%k) : (tensor<3x3x3xf32>, tensor<3x1x3xf32>/' flax.mlir > across.mlir
$ sh operators across.mlir | grep -c Normalization
> 0
? 1

Over channels that are not the last dim, as ConvNeXt and SAM spell it: the same between two Transposes.
$ cat > channels.mlir <<'END'
+ func.func @net(%x: tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32> {
+   %axes = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
+   %two = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
+   %eps = "onnx.Constant"() {value = dense<0.000001> : tensor<f32>} : () -> tensor<f32>
+   %scale = "onnx.Constant"() {value = dense<[[[0.5]], [[-1.0]], [[2.0]], [[0.25]]]> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>
+   %bias = "onnx.Constant"() {value = dense<[[[1.0]], [[0.0]], [[-0.5]], [[3.0]]]> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>
+   %m = "onnx.ReduceMean"(%x, %axes) : (tensor<2x4x3x3xf32>, tensor<1xi64>) -> tensor<2x1x3x3xf32>
+   %d = "onnx.Sub"(%x, %m) : (tensor<2x4x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x3xf32>
+   %dd = "onnx.Pow"(%d, %two) : (tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
+   %v = "onnx.ReduceMean"(%dd, %axes) : (tensor<2x4x3x3xf32>, tensor<1xi64>) -> tensor<2x1x3x3xf32>
+   %ve = "onnx.Add"(%v, %eps) : (tensor<2x1x3x3xf32>, tensor<f32>) -> tensor<2x1x3x3xf32>
+   %r = "onnx.Sqrt"(%ve) : (tensor<2x1x3x3xf32>) -> tensor<2x1x3x3xf32>
+   %n = "onnx.Div"(%d, %r) : (tensor<2x4x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x4x3x3xf32>
+   %s = "onnx.Mul"(%scale, %n) : (tensor<4x1x1xf32>, tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
+   %y = "onnx.Add"(%s, %bias) : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
+   return %y : tensor<2x4x3x3xf32>
+ }
+ END
$ sh operators channels.mlir
> Transpose LayerNormalization Transpose
$ model-diff channels.mlir fused.mlir --random 8 | grep -c '^ *1[0-9][0-9][.].* y (output)'
> 1
A scale along another dim stays a product.
$ sed 's/dense<.*> : tensor<4x1x1xf32>} : () -> tensor<4x1x1xf32>/dense<[0.5, 1.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>/; s/tensor<4x1x1xf32>/tensor<3xf32>/' channels.mlir > across.mlir
$ sh operators across.mlir
> Transpose LayerNormalization Transpose Mul Add
$ model-diff across.mlir fused.mlir --random 8 | grep -c '^ *1[0-9][0-9][.].* y (output)'
> 1
