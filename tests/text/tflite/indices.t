ONNX counts indices below 0 from the end; in TFLite and Circle, whose kernels refuse them or read outside, they are counted from the start, whatever is fed.
$ printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100\0\0\240\100\0\0\300\100' >x.raw && printf '\377\377\377\377\377\377\377\377\1\0\0\0\0\0\0\0' >i.raw && echo x.raw i.raw >list.txt
$ cat >net.mlir <<END
+ func.func @net(%x: tensor<2x3xf32>, %i: tensor<2xi64>) -> (tensor<2x2xf32>, tensor<2xf32>) {
+   %last = "onnx.Constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
+   %y = "onnx.Gather"(%x, %i) {axis = 1} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
+   %z = "onnx.Gather"(%x, %last) {axis = 1} : (tensor<2x3xf32>, tensor<i64>) -> tensor<2xf32>
+   return %y, %z : tensor<2x2xf32>, tensor<2xf32>
+ }
+ END
$ rows() { run "$1" --input-list list.txt -q -o out && od -An -v -w8 -tf4 out/Result_0/$2.raw | tr -s ' ' | sed 's/^ //'; }; for suffix in tflite circle; do model-convert net.mlir -o net.$suffix && rows net.$suffix y && rows net.$suffix z; done
> 3 2
> 6 5
> 3 6
> 3 2
> 6 5
> 3 6
