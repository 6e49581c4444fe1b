Tables that rows are looked up in are weights: every type whose weights are codes makes codes of them, with a scale a row or in blocks.
$ cat > nets.py <<'END'
+ import struct
+ def dense(rows, row, seed):
+     numbers = [[((r * 7 + c * 5 + seed) * 29 % 101 - 50) * (1 + r % 5) / 100 for c in range(row)] for r in range(rows)]
+     return f"dense<{numbers}> : tensor<{rows}x{row}xf32>"
+ def net(name, args, lines, result):
+     print(f"func.func @{name}({args}) -> {result} {{", *lines, "}", sep="\n", file=open(name + ".mlir", "w"))
+ def table(rows, row, name="t", seed=0):
+     return f'%{name} = "onnx.Constant"() {{value = {dense(rows, row, seed)}}} : () -> tensor<{rows}x{row}xf32>'
+ def rows(out, ids, count, rows, row, attrs=""):
+     return f'%{out} = "onnx.Gather"(%t, %{ids}) {{onnx_node_name = "rows_{out}"{attrs}}} : (tensor<{rows}x{row}xf32>, tensor<{count}>) -> tensor<{count.rsplit("x", 1)[0]}x{row}xf32>'
+ for name, kind in (("net", "i64"), ("narrow", "i32")):
+     net(name, f"%i: tensor<2x3x{kind}>", [table(40, 48), table(48, 32, "w", 3), rows("e", "i", f"2x3x{kind}", 40, 48),
+         '%n = "onnx.Constant"() {value = dense<1.0> : tensor<48xf32>} : () -> tensor<48xf32>',
+         '%l = "onnx.LayerNormalization"(%e, %n) {onnx_node_name = "norm"} : (tensor<2x3x48xf32>, tensor<48xf32>) -> tensor<2x3x48xf32>',
+         '%y = "onnx.MatMul"(%l, %w) {onnx_node_name = "product"} : (tensor<2x3x48xf32>, tensor<48x32xf32>) -> tensor<2x3x32xf32>',
+         'return %y : tensor<2x3x32xf32>'], "tensor<2x3x32xf32>")
+ net("twice", "%i: tensor<2x3xi64>, %j: tensor<4xi64>", [table(40, 20), rows("a", "i", "2x3xi64", 40, 20), rows("b", "j", "4xi64", 40, 20),
+     'return %a, %b : tensor<2x3x20xf32>, tensor<4x20xf32>'], "(tensor<2x3x20xf32>, tensor<4x20xf32>)")
+ net("columns", "%i: tensor<4xi64>", [table(20, 40), '%y = "onnx.Gather"(%t, %i) {onnx_node_name = "columns", axis = 1 : si64} : (tensor<20x40xf32>, tensor<4xi64>) -> tensor<20x4xf32>',
+     'return %y : tensor<20x4xf32>'], "tensor<20x4xf32>")
+ net("short", "%i: tensor<4xi64>", [table(40, 8), rows("y", "i", "4xi64", 40, 8), 'return %y : tensor<4x8xf32>'], "tensor<4x8xf32>")
+ net("tied", "%i: tensor<4xi64>", [table(40, 48), rows("e", "i", "4xi64", 40, 48),
+     '%y = "onnx.Gemm"(%e, %t) {onnx_node_name = "head", transB = 1 : si64} : (tensor<4x48xf32>, tensor<40x48xf32>) -> tensor<4x40xf32>',
+     'return %y : tensor<4x40xf32>'], "tensor<4x40xf32>")
+ net("read", "%i: tensor<4xi64>", [table(40, 48), table(48, 32, "w", 3), rows("e", "i", "4xi64", 40, 48),
+     '%y = "onnx.MatMul"(%e, %w) {onnx_node_name = "product"} : (tensor<4x48xf32>, tensor<48x32xf32>) -> tensor<4x32xf32>',
+     'return %y : tensor<4x32xf32>'], "tensor<4x32xf32>")
+ def ids(name, shape, kind, numbers):
+     head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
+     open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<" + {"<i8": "q", "<i4": "i"}[kind] * len(numbers), *numbers))
+ ids("i.npy", (2, 3), "<i8", [0, 39, -1, 7, -40, 20])
+ ids("i32.npy", (2, 3), "<i4", [0, 39, -1, 7, -40, 20])
+ ids("j.npy", (4,), "<i8", [1, -1, 0, 12])
+ END
$ python3 nets.py

In a native file the table has an encoding, in ONNX its rows are looked up before they are made numbers. What is read back is the same table.
$ for type in wo-i8 wo-i4 wo-u8 wo-u4 wo-i16 wo-f8 dynamic-i8; do quantize -q net.mlir --type $type -o q.qn && run q.qn --input i=i.npy -o a -q && quantize -q net.mlir --type $type -o q.onnx && run q.onnx --input i=i.npy -o b -q && cmp a/Result_0/y.raw b/Result_0/y.raw && model-convert -q q.onnx -o again.onnx 2>/dev/null && cmp again.onnx q.onnx; echo $type $(model-info q.qn --text | sed -n '/tensor<40x48x/s/.*storage = \([a-z0-9]*\).*\(axis = [^s]*\), scale = .*/\1, \2/Ip'), $(model-convert q.onnx --passes none -f text -o - 2>/dev/null | sed '/LayerNorm/,$d' | grep -o '[A-Z][A-Za-z]*"(' | grep -v Constant); done
> wo-i8 i8, axis = 1, block = 32, Gather"( Gather"( DequantizeLinear"(
> wo-i4 i4, axis = 1, block = 32, GatherBlockQuantized"(
> wo-u8 ui8, axis = 1, block = 32, Gather"( Gather"( Gather"( DequantizeLinear"(
> wo-u4 ui4, axis = 1, block = 32, GatherBlockQuantized"(
> wo-i16 i16, axis = 1, block = 32, Gather"( Gather"( DequantizeLinear"(
> wo-f8 f8E4M3FN, axis = 0, DequantizeLinear"( Gather"(
> dynamic-i8 i8, axis = 0, Gather"( Cast"( Gather"( Mul"(
$ quantize -q narrow.mlir --type wo-i4 -o n.onnx && run n.onnx --input i=i32.npy -o b -q && quantize -q net.mlir --type wo-i4 -o q.onnx && run q.onnx --input i=i.npy -o a -q && cmp a/Result_0/y.raw b/Result_0/y.raw

A table that two nodes read is stored once; one that a product reads, too, or that is looked up along another axis, is behind one DequantizeLinear.
$ for net in twice tied columns; do for type in wo-i8 wo-i4; do quantize -q $net.mlir --type $type -o q.onnx && echo $net $type $(model-convert q.onnx --passes none -f text -o - 2>/dev/null | grep -o '[A-Z][A-Za-z]*"(.*' | sed 's/"(.*tensor<\([^>]*\)>$/ \1/; /^Constant .*f32/d'); done; done
> twice wo-i8 Constant 40x20xi8 Gather 2x3x20xi8 Gather 2x3x1xf32 DequantizeLinear 2x3x20xf32 Gather 4x20xi8 Gather 4x1xf32 DequantizeLinear 4x20xf32
> twice wo-i4 Constant 40x20xi4 GatherBlockQuantized 2x3x20xf32 GatherBlockQuantized 4x20xf32
> tied wo-i8 Constant 40x2xi8 Constant 40x48xi8 DequantizeLinear 40x48xf32 Gather 4x48xf32 Gemm 4x40xf32
> tied wo-i4 Constant 40x48xi4 Constant 40x2xi4 DequantizeLinear 40x48xf32 Gather 4x48xf32 Gemm 4x40xf32
> columns wo-i8 Constant 20x40xi8 Constant 40xi8 DequantizeLinear 20x40xf32 Gather 20x4xf32
> columns wo-i4 Constant 20x40xi4 Constant 40xi4 DequantizeLinear 20x40xf32 Gather 20x4xf32
$ quantize -q twice.mlir --type wo-i4 -o q.onnx && quantize -q twice.mlir --type wo-i4 -o q.qn && for f in q.onnx q.qn; do run $f --input i=i.npy --input j=j.npy -o $f.out -q; done && cmp q.onnx.out/Result_0/a.raw q.qn.out/Result_0/a.raw && cmp q.onnx.out/Result_0/b.raw q.qn.out/Result_0/b.raw

So it is in TFLite, and where the product quantizes its data at run time; indices of any shape are a list there.
$ for type in wo-i8 wo-i4 wo-i8-sym dynamic-i8; do quantize -q tied.mlir --type $type -o q.tflite && echo $type $(model-info q.tflite --text | grep -c 'tensor<40x48xi[48]>'); done
> wo-i8 1
> wo-i4 1
> wo-i8-sym 1
> dynamic-i8 1
$ for net in net narrow; do quantize -q $net.mlir --type wo-i4 -o q.tflite && model-convert -q q.tflite -o again.tflite && cmp q.tflite again.tflite && model-info q.tflite --text | grep -o '"onnx.\(Cast\|Reshape\|Gather\)".*' | sed 's/"(.*tensor<\([^>]*\)>$/ \1/'; done
> "onnx.Cast 2x3xi32
> "onnx.Reshape 6xi32
> "onnx.Gather 6x48xf32
> "onnx.Reshape 2x3x48xf32
> "onnx.Reshape 6x48xf32
> "onnx.Reshape 2x3x32xf32
> "onnx.Reshape 6xi32
> "onnx.Gather 6x48xf32
> "onnx.Reshape 2x3x48xf32
> "onnx.Reshape 6x48xf32
> "onnx.Reshape 2x3x32xf32

Types with activations: rows that float operators read have scales of their own, and so where weights have fewer bits than activations. Else the table is on the grid of what is looked up.
$ minmax-collect -q net.mlir --input i=i.npy -o net.json && minmax-collect -q read.mlir --input i=j.npy -o read.json
$ for net in net read; do for type in i8 w8a16 w4a8; do quantize -q $net.mlir --ranges $net.json --type $type -o q.qn && echo $net $type $(model-info q.qn --text | sed -n 's/.*storage = \([^,]*\), \(.*\), scale.*tensor<40x48x.*/\1 \2/p'); done; done
> net i8 i8 qmin = -127, qmax = 127, axis = 0
> net w8a16 i8 qmin = -127, qmax = 127, axis = 0
> net w4a8 i4 qmin = -8, qmax = 7, axis = 0
> read i8 i8 qmin = -128, qmax = 127 i8 qmin = -128, qmax = 127
> read w8a16 i8 qmin = -127, qmax = 127, axis = 0 i16 qmin = -32768, qmax = 32767
> read w4a8 i4 qmin = -8, qmax = 7, axis = 0 i8 qmin = -128, qmax = 127
$ sed '/%t = /s/\], \[[-0-9.]*/], [1000.0/2' read.mlir > far.mlir && minmax-collect -q far.mlir --input i=j.npy -o far.json && quantize far.mlir --ranges far.json --type i8 -v -o q.qn
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (13 of 13 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: 1 of 2 operators computes in float on weights that are codes: 55.6 % of the weights and 0.0 % of the multiply-accumulates
!   rows_e (Gather): computes in float on weights that are codes: steps of one grid for its table would be 200 times those of what is looked up
$ for type in i8 w8a16 w4a8; do quantize -q net.mlir --ranges net.json --type $type -o q.onnx && quantize -q net.mlir --ranges net.json --type $type -o q.qn && for f in q.onnx q.qn; do run $f --input i=i.npy -o $f.out -q; done && cmp q.onnx.out/Result_0/y.raw q.qn.out/Result_0/y.raw; done

Rules are as for other weights; what stays float is named.
$ quantize net.mlir --type wo-i8 --set-op-type Gather=none -v -o /dev/null
! quantize: 1 of 2 operators with weights stay float: 43.8 % of the weights (6 of 13 KB as float32) and 97.0 % of the multiply-accumulates are quantized
!   rows_e (Gather): the rule of op type Gather sets none; 54.8 % of the weights
$ quantize -q net.mlir --type wo-i4 --set-op-type MatMul=none -o q.onnx && model-convert q.onnx --passes none -f text -o - | grep -c GatherBlockQuantized
> 1
$ quantize short.mlir --type wo-i8 -v -o /dev/null
! quantize: --type wo-i8 found nothing to quantize
! quantize: coverage: 0 of 1 operators, 0.0 % of the weights (0 of 1280 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
$ quantize net.mlir --type wo-i8 --opset 17 -o q.onnx
! quantize: coverage: 2 of 3 operators, 98.6 % of the weights (13 of 13 KB as float32) and 97.0 % of the multiply-accumulates are quantized
! quantize: value "t" is encoded in blocks, which needs opset 21
? 4
$ quantize -q net.mlir --type dynamic-i8 --opset 13 -o q.onnx && run q.onnx --input i=i.npy -q -o b

Blocks by which GatherBlockQuantized does not read, and codes of 2 bits.
$ for flags in "wo-i4 --block 24" "wo-i4 --block 64" "wo-i2" "wo-i4 --per-tensor"; do quantize -q net.mlir --type $flags -o q.onnx && run q.onnx --input i=i.npy -o b -q && quantize -q net.mlir --type $flags -o q.qn && run q.qn --input i=i.npy -o a -q && cmp a/Result_0/y.raw b/Result_0/y.raw && echo $flags $(model-convert q.onnx --passes none -f text -o - 2>/dev/null | sed '/LayerNorm/,$d' | grep -o '[A-Z][A-Za-z]*"(' | grep -v Constant); done
> wo-i4 --block 24 Gather"( Gather"( DequantizeLinear"(
> wo-i4 --block 64 GatherBlockQuantized"(
> wo-i2 DequantizeLinear"( Gather"(
> wo-i4 --per-tensor DequantizeLinear"( Gather"(
