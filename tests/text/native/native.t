The native format is what pipes carry. Equal models give equal bytes, wherever they come from.

$ cat > net.mlir <<'END'
+ func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
+   %w = "onnx.Constant"() {value = dense<[1.5, 2.0, -1.0, 0.25]> : tensor<4xf32>} : () -> tensor<4xf32>
+   %y = "onnx.Mul"(%x, %w) {onnx_node_name = "scale"} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
+   onnx.Return %y : tensor<2x4xf32>
+ }
+ END
$ model-convert net.mlir | model-convert - | model-info -
> graph       main
> inputs      x  float32[2,4]
> outputs     y  float32[2,4]
> nodes       1
> operators   Mul                                  1
> parameters  4 (16 bytes)
> weights     float32                              4
> MACs        8
> lineage     0746a41a1a0a3be270d046f991974e07
$ model-convert net.mlir -o a.qn && model-convert a.qn -o b.qn && cmp a.qn b.qn && model-info --verify a.qn > shown

A changed weight is found on demand, a changed graph or a cut file always.

$ printf 'x' | dd of=b.qn bs=1 seek=70 conv=notrunc status=none; model-info --verify b.qn
! model-info: b.qn: blob 0 at byte 64 differs from its digest
? 3
$ cp a.qn c.qn; printf 'x' | dd of=c.qn bs=1 seek=200 conv=notrunc status=none; model-info c.qn
! model-info: c.qn: the graph differs from its digest
? 3
$ head -c 300 a.qn > d.qn; model-info d.qn
! model-info: d.qn: is cut off: its last 64 bytes are not a trailer
? 3
$ printf '\2' | dd of=a.qn bs=1 seek=8 conv=notrunc status=none; model-info a.qn
! model-info: a.qn: is of native format version 2.0, this program reads version 1
? 4
