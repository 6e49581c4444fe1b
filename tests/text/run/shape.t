Shapes that a model leaves open come from the samples, from --shape, or are 1 for random numbers, which is said; a batch is one sample.
$ cat > net.mlir <<'NET'
+ func.func @net(%x: tensor<?{batch}x3x?{rows}x4xf32>) -> tensor<?x3x?x4xf32> {
+   %y = "onnx.Relu"(%x) {onnx_node_name = "r"} : (tensor<?{batch}x3x?{rows}x4xf32>) -> tensor<?x3x?x4xf32>
+   return %y : tensor<?x3x?x4xf32>
+ }
+ NET
$ run net.mlir --random 1 -o one && wc -c < one/Result_0/y.raw
> 48
! run: --random: input "x" is float32[batch,3,rows,4]: open dims are taken as 1 (--shape sets others)
$ run net.mlir --random 1 --shape x=1,3,5,4 -o five && wc -c < five/Result_0/y.raw
> 240
$ run net.mlir --random 1 --shape x=1,3,5,8
! run: net.mlir: --shape x=1,3,5,8: dim 3 of input "x" is fixed at 4
? 2
$ run net.mlir --random 1 --shape y=1
! run: net.mlir: --shape: no input "y" (did you mean "x"?)
! hint: its inputs: x
? 2
$ minmax-collect net.mlir --random 1 --shape x=1,3,5,4 -o r.json
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ quantize net.mlir --shape x=1,3,5,4 --ranges r.json -o q.qn && model-info q.qn | grep inputs
> inputs      x  float32[1,3,5,4]  int8 scale 0.007601353 zero 3
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
$ model-diff net.mlir q.qn --random 1 --shape x=1,3,5,4 | tail -1 | sed 's/.*  //'
> y (output)
$ head -c 240 /dev/zero > x.raw && run net.mlir --input "x=x.raw:f32[1,3,5,4]" -o given && wc -c < given/Result_0/y.raw
> 240
