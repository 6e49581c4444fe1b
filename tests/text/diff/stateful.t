Two models in lock-step, each with the state that the sample before left it: a result adds what came before and half, or a quarter, of the last one.
$ for r in 0.5 0.25; do cat > rnn$r.mlir <<END
+ func.func @rnn(%x: tensor<1x1x1xf32>) -> (tensor<1x1x1x1xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[[1.0]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %r = "onnx.Constant"() {value = dense<[[[$r]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %y = "onnx.RNN"(%x, %w, %r) {activations = ["Relu"], hidden_size = 1 : si64, onnx_node_name = "cell"} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1x1xf32>
+   return %y : tensor<1x1x1x1xf32>
+ }
+ END
+ done; printf '\004\002\003' > x.bin
$ cat > d.sh <<'END'
+ d() { model-diff rnn0.5.mlir rnn0.25.mlir --input 'x=x.bin:u8[1,1,1]' --json "$@" | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(d['samples'], *[(v['name'], v['identical'], v['max_error']) for v in d['values'] if v['name'] != 'x'])"; }
+ END
$ . ./d.sh; d; d --stateful
> 3 ('y', True, 0.0)
> 3 ('y', False, 1.25) ('cell/h_out', False, 1.25)
What is carried is what run carries.
$ for r in 0.5 0.25; do run rnn$r.mlir --input 'x=x.bin:u8[1,1,1]' --stateful -o $r.npz > /dev/null; done; model-diff 0.5.npz 0.25.npz --json | python3 -c "
+ import json, sys
+ print(*[(v['name'], v['max_error']) for v in json.load(sys.stdin)['values']])"
> ('cell%2Fh_out', 1.25) ('y', 1.25)
States of inputs and outputs are paired by their names, or by --state.
$ for k in 1 2; do cat > sum$k.mlir <<END
+ func.func @sum(%x: tensor<1x2xf32>, %h: tensor<1x2xf32>) -> (tensor<1x2xf32>) {
+   %k = "onnx.Constant"() {value = dense<$k.0> : tensor<f32>} : () -> tensor<f32>
+   %kept = "onnx.Mul"(%h, %k) {onnx_node_name = "mul"} : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
+   %h_out = "onnx.Add"(%x, %kept) {onnx_node_name = "add"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %h_out : tensor<1x2xf32>
+ }
+ END
+ done; printf '\001\000\001\000\001\000' > s.bin; for flags in --stateful '--state h=h_out'; do model-diff sum1.mlir sum2.mlir --input 'x=s.bin:u8[1,2]' $flags --outputs-only --json | grep -c '"max_error": 4'; done
> 1
> 1
$ model-diff sum1.mlir sum2.mlir --state no=h_out --input 'x=s.bin:u8[1,2]'
! model-diff: sum1.mlir: --state: the model has no input "no"
? 2
$ model-diff 0.5.npz 0.25.npz --stateful
! model-diff: --stateful and --state are for models, not for results of runs
? 2
$ model-diff --encodings --stateful sum1.mlir sum2.mlir
! model-diff: --encodings runs nothing: samples, shapes, thresholds and other comparisons are not for it
? 2
