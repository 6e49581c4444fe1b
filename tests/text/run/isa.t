Float kernels are pinned to an instruction set; the narrowest is on every machine.
$ cat > relu.mlir <<'END'
+ func.func @main_graph(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
+   %0 = "onnx.Relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   %y = "onnx.Exp"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
+   return %y : tensor<2x3xf32>
+ }
+ END
$ run relu.mlir --random 1 --isa base --explain 2>&1 | grep -c 'base Exp\|base Relu'
> 1
$ run relu.mlir --random 1 --isa base -o one -q; run relu.mlir --random 1 --isa base --threads 2 -o two -q; diff -r one two && echo same
> same
$ run relu.mlir --random 1 --isa avx
! run: --isa: unknown "avx" (did you mean "avx2"?)
! hint: one of base, avx2, avx512
? 2
