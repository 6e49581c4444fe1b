Integers made of real numbers that they cannot hold: the end of the range that is nearest, 0 for what is no number. Sums wrap around.
$ cat > beyond.mlir <<'END'
+ func.func @beyond(%x: tensor<2xi64>, %f: tensor<3xf32>) -> (tensor<1xi64>, tensor<2xi64>, tensor<3xui64>, tensor<3xi64>) {
+   %wrapped = "onnx.ReduceL2"(%x) : (tensor<2xi64>) -> tensor<1xi64>
+   %shrunk = "onnx.Shrink"(%x) {bias = -1.0e19 : f32, lambd = 0.0 : f32} : (tensor<2xi64>) -> tensor<2xi64>
+   %u = "onnx.Cast"(%f) {to = ui64} : (tensor<3xf32>) -> tensor<3xui64>
+   %i = "onnx.Cast"(%f) {to = i64} : (tensor<3xf32>) -> tensor<3xi64>
+   onnx.Return %wrapped, %shrunk, %u, %i : tensor<1xi64>, tensor<2xi64>, tensor<3xui64>, tensor<3xi64>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(struct.pack('<2q', 5, -3037000500)); open('f.raw', 'wb').write(struct.pack('<3f', 1e30, -1e30, float('nan')))"
$ run beyond.mlir --input x=x.raw --input f=f.raw -o out -q
$ cd out/Result_0 && for name in wrapped shrunk i; do od -An -td8 $name.raw; done; od -An -tu8 u.raw
>                     0
>   9223372036854775807 -9223372036854775808
>   9223372036854775807 -9223372036854775808
>                     0
>  18446744073709551615  9223372036854775808
>                     0
