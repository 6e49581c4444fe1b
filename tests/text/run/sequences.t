Sequences and optionals run: parts of a tensor, a loop that carries a sequence, parts joined again.
$ cat > parts.mlir <<'END'
+ func.func @parts(%x: tensor<?x2xf32>, %turns: tensor<i64>) -> (tensor<*xf32>, tensor<i64>) {
+   %none = "onnx.NoValue"() : () -> none
+   %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
+   %first = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
+   %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
+   %parts = "onnx.SplitToSequence"(%x, %two) {axis = 0 : si64} : (tensor<?x2xf32>, tensor<i64>) -> !onnx.Seq<tensor<?x2xf32>>
+   %a = "onnx.SequenceAt"(%parts, %first) : (!onnx.Seq<tensor<?x2xf32>>, tensor<i64>) -> tensor<?x2xf32>
+   %rest = "onnx.SequenceErase"(%parts, %first) : (!onnx.Seq<tensor<?x2xf32>>, tensor<i64>) -> !onnx.Seq<tensor<?x2xf32>>
+   %b, %all = "onnx.Loop"(%turns, %none, %a, %rest) ({
+   ^body(%i: tensor<i64>, %c: tensor<i1>, %last: tensor<?x2xf32>, %kept: !onnx.Seq<tensor<*xf32>>):
+     %next = "onnx.Add"(%last, %one) : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
+     %kept_out = "onnx.SequenceInsert"(%kept, %next) : (!onnx.Seq<tensor<*xf32>>, tensor<?x2xf32>) -> !onnx.Seq<tensor<*xf32>>
+     onnx.Yield %c, %next, %kept_out : tensor<i1>, tensor<?x2xf32>, !onnx.Seq<tensor<*xf32>>
+   }) : (tensor<i64>, none, tensor<?x2xf32>, !onnx.Seq<tensor<?x2xf32>>) -> (tensor<?x2xf32>, !onnx.Seq<tensor<*xf32>>)
+   %count = "onnx.SequenceLength"(%all) : (!onnx.Seq<tensor<*xf32>>) -> tensor<i64>
+   %y = "onnx.ConcatFromSequence"(%all) {axis = 0 : si64} : (!onnx.Seq<tensor<*xf32>>) -> tensor<*xf32>
+   onnx.Return %y, %count : tensor<*xf32>, tensor<i64>
+ }
+ END
$ python3 -c "import struct; open('x.raw', 'wb').write(struct.pack('<10f', *range(10))); open('t.raw', 'wb').write(struct.pack('<q', 2))"
$ run parts.mlir --input x=x.raw --input turns=t.raw -o out -q && od -An -v -w8 -t f4 out/Result_0/y.raw && od -An -t d8 out/Result_0/count.raw
>                4               5
>                6               7
>                8               9
>                1               2
>                3               4
>                2               3
>                4               5
>                     4

The same by way of the native format and of ONNX, and with ranges of its tensors.
$ model-convert parts.mlir -o p.qn && model-convert p.qn -o p.onnx && run p.onnx --input x=x.raw --input turns=t.raw -o again -q && diff -r out again
$ minmax-collect p.onnx --input x=x.raw --input turns=t.raw -o r.json && quantize p.onnx --ranges r.json --type i8 -o q.onnx && run q.onnx --input x=x.raw --input turns=t.raw -o coded -q && model-diff out coded --threshold 30 | tail -2
>     equal   1.000000            0  5.60519e-45  count (output)
>     equal   1.000000            0            9  y (output)
! quantize: 3 of 4 operators stay float: 100.0 % of the weights (4 of 4 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why

What is not a tensor is neither fed nor written.
$ cat > seq.mlir <<'END'
+ func.func @s(%x: tensor<4xf32>) -> !onnx.Seq<tensor<*xf32>> {
+   %y = "onnx.SplitToSequence"(%x) : (tensor<4xf32>) -> !onnx.Seq<tensor<*xf32>>
+   onnx.Return %y : !onnx.Seq<tensor<*xf32>>
+ }
+ END
$ run seq.mlir --random 1 -o s
! run: "y" is not a tensor
? 4
$ codegen parts.mlir -p c -o c
! codegen: parts.mlir: 6 of 6 nodes cannot be generated as C
!   node "SplitToSequence_0" (SplitToSequence): value "parts" is sequence<float32[?,2]>: its shape is not known before the run
!   node "SequenceAt_1" (SequenceAt): value "a" is float32[?,2]: its shape is not known before the run
!   node "SequenceErase_2" (SequenceErase): value "rest" is sequence<float32[?,2]>: its shape is not known before the run
!   node "Loop_3" (Loop): value "a" is float32[?,2]: its shape is not known before the run
!   node "SequenceLength_4" (SequenceLength): there is no C for this operator
!   node "ConcatFromSequence_5" (ConcatFromSequence): value "y" is float32[*]: its shape is not known before the run
? 4
