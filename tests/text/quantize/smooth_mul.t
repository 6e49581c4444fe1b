Products whose input nothing can take a factor from: smoothquant with a Mul before them.

$ cat > two.mlir <<'END'
+ func.func @main(%x: tensor<4x4xf32>) -> tensor<4x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[0.5, -1.0], [2.0, 0.25], [1.0, -0.75], [-0.5, 1.5]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %v = "onnx.Constant"() {value = dense<[[0.1, -1.0], [2.0, 0.75], [-1.0, 0.5], [1.25, 0.5]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
+   %p = "onnx.MatMul"(%x, %w) {onnx_node_name = "p"} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
+   %q = "onnx.MatMul"(%x, %v) {onnx_node_name = "q"} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
+   %y = "onnx.Add"(%p, %q) {onnx_node_name = "y"} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
+   return %y : tensor<4x2xf32>
+ }
+ END
$ python3 -c "
+ import array, random
+ random.seed(7)
+ open('x.f32', 'wb').write(array.array('f', [random.uniform(-8, 8) if i % 4 == 0 else random.uniform(-0.5, 0.5) for i in range(60 * 16)]).tobytes())"
$ minmax-collect two.mlir --input x=x.f32:f32[4,4] -o r.json
$ S='two.mlir --input x=x.f32:f32[4,4] --ranges r.json --algorithms smoothquant --set-global none --set-op-type MatMul=u8i8'; quantize $S -o plain.onnx 2>plain.txt; sed -n 1p plain.txt; quantize $S --smooth-mul -v -o mul.onnx 2>mul.txt; grep -v 'algorithm ' mul.txt | sed 3q
> quantize: smoothquant: nothing to do in this model
> quantize: smoothquant: 2 of 2 layers changed
>   p: SQNR of its results [...] dB, was [...] dB; greatest channel of its input [...] times the middle one, was [...]
>   q: SQNR of its results [...] dB, was [...] dB; greatest channel of its input [...] times the middle one, was [...]

One Mul for both, in every kind of file; the function stays; the same bytes on any number of threads, and without ranges.
$ X='--input x=x.f32:f32[4,4]'; S="two.mlir $X --algorithms smoothquant --set-global none --smooth-mul -q"; for to in onnx:u8i8 qn:u8i8 tflite:i8; do
+     quantize $S --ranges r.json --set-op-type MatMul=${to#*:} -o mul.${to%:*}; model-convert mul.${to%:*} -o mul.mlir; grep -c onnx.Mul mul.mlir
+     model-diff two.mlir mul.${to%:*} $X --outputs-only --threshold 40 >d || cat d
+ done
+ quantize $S --ranges r.json --set-op-type MatMul=u8i8 --threads 1 -o 1.onnx; cmp 1.onnx mul.onnx; quantize $S --set-op-type MatMul=u8i8 -o own.onnx; cmp own.onnx mul.onnx
> 1
> 1
> 1

One for each product.
$ quantize two.mlir --input x=x.f32:f32[4,4] --ranges r.json --algorithms smoothquant --set-global none --set-op-type MatMul=u8i8 --smooth-mul=each -q -o each.onnx; model-convert each.onnx -o each.mlir; grep -c onnx.Mul each.mlir
> 2
$ model-diff two.mlir each.onnx --input x=x.f32:f32[4,4] --outputs-only --threshold 40 > d || cat d
$ quantize two.mlir --input x=x.f32:f32[4,4] --algorithms smoothquant --smooth-mul=both -o no.onnx
! quantize: --smooth-mul: got "both", need each, or nothing
? 2

Where the input is rounded before, it stays: here as one of the model.
$ quantize two.mlir --input x=x.f32:f32[4,4] --ranges r.json --algorithms smoothquant --smooth-mul --set-io i8 -v -o q.onnx
! quantize: smoothquant: 0 of 2 layers changed
!   p: stays as it was: its input is rounded where it is made, a Mul behind that gains nothing
!   q: stays as it was: its input is rounded where it is made, a Mul behind that gains nothing
! quantize: coverage: 3 of 3 operators, 100.0 % of the weights (64 of 64 bytes as float32) and 100.0 % of the multiply-accumulates are quantized

Inputs on the grid as they are - all 256 numbers of one - and weights that have codes lose nothing, so that nothing can be gained.
$ python3 -c "open('x.u8', 'wb').write(bytes(range(256)) * 8)"; minmax-collect two.mlir --input x=x.u8:u8[4,4]*0.0625-8 -o r.json
$ S="two.mlir --input x=x.u8:u8[4,4]*0.0625-8 --algorithms smoothquant --smooth-mul --set-global none"; quantize $S --ranges r.json --set-op-type MatMul=u8i8 -v -o q.onnx 2>q.txt; sed 3q q.txt
> quantize: smoothquant: 0 of 2 layers changed
>   p: SQNR of its results exact, was exact; stays as it was: its weights would lose more than its input gains
>   q: SQNR of its results [...] dB, was [...] dB; stays as it was: its weights would lose more than its input gains
