Models whose inputs and outputs are codes, as ONNX says them: DequantizeLinear behind an input, QuantizeLinear in front of an output. Formats that say how an interface is stored have them as encodings.
$ cat > net.mlir <<'MLIR'
+ func.func @net(%x: tensor<1x2x4x4xi8>) -> tensor<1x3x4x4xi8> {
+   %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
+   %z = "onnx.Constant"() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
+   %ys = "onnx.Constant"() {value = dense<0.125> : tensor<f32>} : () -> tensor<f32>
+   %yz = "onnx.Constant"() {value = dense<5> : tensor<i8>} : () -> tensor<i8>
+   %ws = "onnx.Constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
+   %wz = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
+   %wc = "onnx.Constant"() {value = dense<[[[[3]], [[-1]]], [[[2]], [[5]]], [[[-7]], [[1]]]]> : tensor<3x2x1x1xi8>} : () -> tensor<3x2x1x1xi8>
+   %w = "onnx.DequantizeLinear"(%wc, %ws, %wz) : (tensor<3x2x1x1xi8>, tensor<f32>, tensor<i8>) -> tensor<3x2x1x1xf32>
+   %xr = "onnx.DequantizeLinear"(%x, %s, %z) {onnx_node_name = "dequantize"} : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
+   %c = "onnx.Conv"(%xr, %w) {onnx_node_name = "conv"} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
+   %y = "onnx.QuantizeLinear"(%c, %ys, %yz) {onnx_node_name = "quantize"} : (tensor<1x3x4x4xf32>, tensor<f32>, tensor<i8>) -> tensor<1x3x4x4xi8>
+   return %y : tensor<1x3x4x4xi8>
+ }
+ MLIR
$ model-convert net.mlir --passes none -o net.onnx && model-info net.onnx | grep -E '^(in|out)puts'
> inputs      x  int8[1,2,4,4]
> outputs     y  int8[1,3,4,4]
$ for f in tflite circle; do model-convert net.onnx -q -o net.$f && model-info net.$f | grep -E '^(in|out)puts|Linear'; done
> inputs      x  float32[1,2,4,4]  int8 scale 0.5 zero -3
> outputs     y  float32[1,3,4,4]  int8 scale 0.125 zero 5
> inputs      x  float32[1,2,4,4]  int8 scale 0.5 zero -3
> outputs     y  float32[1,3,4,4]  int8 scale 0.125 zero 5

The codes are the same as in the ONNX file, and as in one that is written from these.
$ printf "$(printf '\\%03o' $(seq 0 31))" > codes; model-convert net.tflite -o back.onnx
$ for f in onnx tflite circle; do run net.$f --native-io --input x=codes -q -o $f && cmp $f/Result_0/y.raw onnx/Result_0/y.raw; done; run back.onnx --native-io --input x=codes -q -o back && cmp back/Result_0/y.raw onnx/Result_0/y.raw

Devices are asked about the same: nothing stays behind for the codes.
$ for target in ethos-u55-128 htp; do place net.onnx --target $target --heuristic QualifyingOps -o placed.qn --report report.txt && grep -E '^(cpu|ethos-u|htp) ' report.txt | sed 's/  */ /g' | cut -d' ' -f 1-3; done
> cpu 0 0
> ethos-u 3 1
> cpu 0 0
> htp 1 1
$ place net.onnx --target htp --heuristic QualifyingOps --save-placement - | grep -A2 '"device":' | cut -d'"' -f4 | xargs -n 4 echo | cut -d' ' -f 1,3
> htp dequantize
> htp conv
> htp quantize

What else says of an input that it is a number is no encoding: another reader, an output of the same name.
$ sed 's/-> tensor<1x3x4x4xi8> {/-> (tensor<1x3x4x4xi8>, tensor<1x2x4x4xi8>) {/; s/return %y : tensor<1x3x4x4xi8>/return %y, %x : tensor<1x3x4x4xi8>, tensor<1x2x4x4xi8>/' net.mlir > both.mlir
$ model-convert both.mlir -o both.tflite
! model-convert: node "dequantize" (DequantizeLinear): tflite has no such operator
? 4
