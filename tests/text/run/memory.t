What does not fit into memory is refused with its node before anything is made, whether the file or the samples say so.

$ cat >net.mlir <<'END'
+ func.func @main(%x: tensor<1x1x2x2xf32>) -> (tensor<*xf32>) {
+   %s = "onnx.Constant"() {value = dense<[1.0, 1.0, 1.0e9, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %n = "onnx.NoValue"() : () -> none
+   %y = "onnx.Resize"(%x, %n, %s) {onnx_node_name = "large"} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>) -> tensor<*xf32>
+   return %y : tensor<*xf32>
+ }
+ END
$ ulimit -v 2000000; run net.mlir --random 1 -q
! run: node "large" (Resize): output 0 as float32[1,1,2000000000,2] takes 16000000000 bytes, the limit is 2048 MB
! hint: --memory-limit sets another limit (default: the machine's memory)
? 4
$ cat >fed.mlir <<'END'
+ func.func @main(%x: tensor<1x1x2x2xf32>, %s: tensor<4xf32>) -> (tensor<*xf32>) {
+   %n = "onnx.NoValue"() : () -> none
+   %y = "onnx.Resize"(%x, %n, %s) {onnx_node_name = "large"} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>) -> tensor<*xf32>
+   return %y : tensor<*xf32>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(bytes(16)); open('s.raw', 'wb').write(struct.pack('4f', 1, 1, 3e6, 1))"
$ run fed.mlir --input x=x.raw --input s=s.raw --memory-limit 20M -o out
! run: sample 0: node "large" (Resize): output 0 as float32[1,1,6000000,2] takes 48000000 bytes, the limit is 20 MB
! hint: --memory-limit sets another limit (default: the machine's memory)
? 4
$ run fed.mlir --input x=x.raw --input s=s.raw --memory-limit 1G -o out && stat -c %s out/Result_0/y.raw
> 48000000
