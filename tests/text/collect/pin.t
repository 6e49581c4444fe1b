An input that always has one value is pinned: the branch that never runs goes, and ranges have the names of the other one.
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x3xf32>, %sr: tensor<i64>) -> tensor<1x3xf32> {
+   %rate = "onnx.Constant"() {value = dense<16000> : tensor<i64>} : () -> tensor<i64>
+   %c = "onnx.Equal"(%sr, %rate) {onnx_node_name = "c"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
+   %y = "onnx.If"(%c) ({
+     %n = "onnx.Neg"(%x) {onnx_node_name = "n"} : (tensor<1x3xf32>) -> tensor<1x3xf32>
+     onnx.Yield %n : tensor<1x3xf32>
+   }, {
+     %k = "onnx.Constant"() {value = dense<[[1.5, -1.0, 0.5]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
+     %m = "onnx.Mul"(%x, %k) {onnx_node_name = "mul"} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
+     %p = "onnx.Relu"(%m) {onnx_node_name = "relu"} : (tensor<1x3xf32>) -> tensor<1x3xf32>
+     onnx.Yield %p : tensor<1x3xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<1x3xf32>
+   return %y : tensor<1x3xf32>
+ }
+ END
$ python3 -c "open('x.bin', 'wb').write(bytes(i * 37 % 251 for i in range(90)))"
$ minmax-collect net.mlir --pin sr=16000 --input 'x=x.bin:u8[1,3]-100' --no-histogram | grep -o '^"[a-z_/]*":{"count'
> "choice/then_branch/m":{"count
> "x":{"count
> "y":{"count
$ minmax-collect net.mlir --pin sr=16000 --input 'x=x.bin:u8[1,3]-100' -o r.json && quantize net.mlir --pin sr=16000 --ranges r.json -o q.onnx && model-info q.onnx | grep inputs
> inputs      x  float32[1,3][...]
! quantize: coverage: 2 of 2 operators, 100.0 % of the weights (12 of 12 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ model-convert net.mlir --pin sr=16000 -o pinned.qn && model-diff pinned.qn q.onnx --input 'x=x.bin:u8[1,3]-100' --outputs-only --threshold 20 > diff.txt && echo close
> close
$ quern compile net.mlir --pin sr=16000 --input 'x=x.bin:u8[1,3]-100' --type i8 -o one.onnx --output-dir one && model-info one.onnx | grep inputs && ls one | wc -l
> inputs      x  float32[1,3][...]
> 30
$ run q.onnx --input 'x=x.bin:u8[1,3]-100' -q -o q && diff -r q one && echo same
> same
$ quern compile net.mlir --pin rate=1 --type int8_wo -o no.onnx
! compile: --pin: no input "rate"[...]
? 2
$ onert_run net.mlir --pin sr=8000 --fixed_input -d out.npz --dump_input:raw in >/dev/null && ls in.* && model-convert net.mlir --pin sr=8000 -o neg.qn && onert_run neg.qn --fixed_input -d neg.npz >/dev/null && cmp out.npz neg.npz && echo same
> in.0
> same
$ onert_run net.mlir --pin sr
> Model Filename net.mlir
! onert_run: --pin sr: need NAME=NUMBER
? 2
$ model-convert net.mlir --pin sr=8000 -f text | grep -o '"onnx.[A-Z][a-z]*'
> "onnx.Neg
$ model-convert net.mlir --pin rate=8000 -o p.onnx 2>&1 | grep -o 'no input "rate"'
> no input "rate"
? 2
$ model-convert net.mlir --pin sr=fast -o p.onnx 2>&1 | grep -o 'got "fast", need a int64'
> got "fast", need a int64
? 2
$ model-convert net.mlir --pin x=1,2 -o p.onnx 2>&1 | grep -o 'got 2 numbers, need 1 or 3'
> got 2 numbers, need 1 or 3
? 2

The state of a recurrent operator begins with the batch that it needs, though its dim has a name of its own.
$ cat > rnn.mlir <<'END'
+ func.func @rnn(%x: tensor<1x1x1xf32>, %h: tensor<1x?{kept}x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<?x?x?xf32>) {
+   %w = "onnx.Constant"() {value = dense<[[[1.0]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %r = "onnx.Constant"() {value = dense<[[[0.5]]]> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
+   %none = "onnx.NoValue"() : () -> none
+   %y, %hn = "onnx.RNN"(%x, %w, %r, %none, %none, %h) {activations = ["Relu"], hidden_size = 1 : si64, onnx_node_name = "cell"} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, none, none, tensor<1x?{kept}x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<?x?x?xf32>)
+   return %y, %hn : tensor<1x1x1x1xf32>, tensor<?x?x?xf32>
+ }
+ END
$ printf '\004\002\003' > x.raw; minmax-collect rnn.mlir --input 'x=x.raw:u8[1,1,1]' --state h=hn --no-histogram | grep -E '"(h|hn)"'
> "h":{"count":3,"max":4,"min":0,"runs":[[0,[0,4,4],[0,4,4]]]},
> "hn":{"count":3,"max":5,"min":4,"runs":[[0,[4,4,5],[4,4,5]]]},
