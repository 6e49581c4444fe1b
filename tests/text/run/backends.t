Back ends: built in, chosen by hand, missing; devices without one are simulated.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> (tensor<2xf32>) {
+   %a = "onnx.Relu"(%x) {device = "npu", onnx_node_name = "first"} : (tensor<2xf32>) -> tensor<2xf32>
+   %y = "onnx.Neg"(%a) {device = "", onnx_node_name = "second"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ run --list-backends | sed -n 1,4p
> cpu          1          this machine's processor, fast kernels
>   cpu        this machine's processor, fast kernels
> ref          1          the reference, integer or float, on this machine's processor
>   ref        the reference, integer or float, on this machine's processor
$ run net.mlir --random 1 --explain
> mode     float, [...]
> first (Relu): reference on npu
> second (Neg): [...] on cpu
> ms       [...]
> ms a run [...]
> MiB      [...]
! run: net.mlir: device "npu" has no back end: simulated on ref
$ run net.mlir --random 1 -o whole --backend ref && run net.mlir --random 1 -q -o parts && diff -r whole parts
$ BACKENDS=ref run net.mlir --random 1 --explain -q | sed -n 2,3p
> first (Relu): reference on npu
> second (Neg): reference on ref
$ run net.mlir --random 1 --backend reff
! run: there is no back end "reff" (did you mean "ref"?)
! hint: libquern_reff.so is looked for in [...]
? 4
$ run net.mlir --random 1 --backend ./none.so
! run: there is no back end "./none.so"
? 4
$ run net.mlir --random 1 --target ethos-u55-128
! run: target "ethos-u55-128" has no device "npu"
? 4
$ QUERN_OP_PACKAGES=./none.so run net.mlir --random 1
! run: op package "./none.so": there is no such library
! hint: a path has a "/": ./libmyops.so
? 4
