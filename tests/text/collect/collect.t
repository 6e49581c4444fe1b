Ranges: of channels, until they converge, with a checkpoint, in shards.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(8192)))"
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
+   %y = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
+   return %y : tensor<1x2x2xf32>
+ }
+ END
$ minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' --rows 2 --per-channel --no-histogram
> {"kind":"ranges",
> "lineage":"9974c037cb6b0d317f58c161e01a41dd",
> "samples":2,
> "unvisited":[],
> "values":{
> "x":{"axis":2,"channel_max":[7,4],"channel_min":[-8,-4],"channel_sum":[[4,-3]],"count":8,"max":7,"min":-8,"runs":[[0,[-8,-4],[4,7]]]},
> "y":{"axis":2,"channel_max":[7,4],"channel_min":[0,0],"channel_sum":[[12,4]],"count":8,"max":7,"min":0,"runs":[[0,[0,0],[4,7]]]}},
> "version":1}
$ minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' --until-converged -v -o r.json
! minmax-collect: ranges have converged after 96 of 2048 samples
$ minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' -o all.json && minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' --checkpoint state --checkpoint-interval 0 -o kept.json && cmp all.json kept.json && ls state
! ls: cannot access 'state': No such file or directory
? 2
$ minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' --rows 100 -o a.json && minmax-collect net.mlir --input 'x=s.bin:u8[2,2]-8' --skip-rows 100 -o b.json && minmax-collect merge b.json a.json | cmp - all.json && echo same
> same

What is not a number is an error that names value and sample.
$ python3 -c "import struct; open('ok.raw', 'wb').write(struct.pack('<4f', 1, 2, 3, 4)); open('nan.raw', 'wb').write(struct.pack('<4f', 1, 2, 3, float('nan')))"; printf 'ok.raw\nnan.raw\n' > list
$ minmax-collect net.mlir --input-list list -o n.json; echo $?; ls n.json
> 3
! minmax-collect: sample 1 (list: line 2): value "x": element 3 is NaN
! ls: cannot access 'n.json': No such file or directory
? 2

A body that no sample runs is said, and stays float where its ranges would be needed.
$ cat > if.mlir <<'END'
+ func.func @branch(%c: tensor<i1>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %y = "onnx.If"(%c) ({
+     %p = "onnx.MatMul"(%x, %w) {onnx_node_name = "p"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+     onnx.Yield %p : tensor<2x2xf32>
+   }, {
+     %n = "onnx.MatMul"(%w, %x) {onnx_node_name = "n"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
+     onnx.Yield %n : tensor<2x2xf32>
+   }) {onnx_node_name = "choice"} : (tensor<i1>) -> tensor<2x2xf32>
+   return %y : tensor<2x2xf32>
+ }
+ END
$ printf '\001' > yes; minmax-collect if.mlir --input c=yes --input x=ok.raw -o if.json
! minmax-collect: body "choice/else_branch" was never run
$ quantize if.mlir --ranges if.json -o q.qn
! quantize: no sample ran "choice/else_branch": its operators stay float
! quantize: 2 of 3 operators stay float: 50.0 % of the weights (16 of 32 bytes as float32) and 0.0 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ echo '{"kind": "rules", "version": 1, "module_names": {"choice/else_branch": "none"}}' > rules.json; quantize if.mlir --ranges if.json --rules rules.json -v -o q.qn
! quantize: 2 of 3 operators stay float: 50.0 % of the weights (16 of 32 bytes as float32) and 0.0 % of the multiply-accumulates are quantized
!   choice (If): does not map float32 to float32
!   choice/else_branch/p (MatMul): the rule of module choice/else_branch sets none; 50.0 % of the weights

Samples of a sequence: what the output was is the next input, zero at first.
$ cat > rnn.mlir <<'END'
+ func.func @rnn(%x: tensor<1x2xf32>, %h: tensor<1x2xf32>) -> (tensor<1x2xf32>) {
+   %h_out = "onnx.Add"(%x, %h) {onnx_node_name = "add"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %h_out : tensor<1x2xf32>
+ }
+ END
$ minmax-collect rnn.mlir --input 'x=s.bin:u8[2]' --rows 3 --stateful --no-histogram
> {"kind":"ranges",
> "lineage":"3cd72f527dcdfa0d0cd2235f824b6d52",
> "samples":3,
> "unvisited":[],
> "values":{
> "h":{"count":6,"max":19,"min":0,"runs":[[0,[0,0,11],[0,7,19]]]},
> "h_out":{"count":6,"max":25,"min":0,"runs":[[0,[0,11,21],[7,19,25]]]},
> "x":{"count":6,"max":12,"min":0,"runs":[[0,[0,11,6],[7,12,10]]]}},
> "version":1}
$ run rnn.mlir --input 'x=s.bin:u8[2]' --rows 3 --stateful -o out && for i in 0 1 2; do od -An -f out/Result_$i/h_out.raw; done
>                0               7
>               11              19
>               21              25
$ minmax-collect rnn.mlir --input 'x=s.bin:u8[2]' --state h=h_out --threads 4 -o a.json && minmax-collect rnn.mlir --input 'x=s.bin:u8[2]' --stateful --threads 1 --checkpoint state --checkpoint-interval 0 -o b.json && cmp a.json b.json && echo same
> same
$ minmax-collect net.mlir --input 'x=s.bin:u8[2,2]' --stateful
! minmax-collect: --stateful: no input and output of the model belong together by their names
! hint: name them: --state INPUT=OUTPUT
? 2
$ minmax-collect rnn.mlir --input 'x=s.bin:u8[2]' --state h=y
! minmax-collect: --state: the model has no output "y"
? 2

Minus infinity is meant in masks that are made of constants; there it counts as the least float, and what reads it stays float.
$ cat > mask.mlir <<'END'
+ func.func @attention(%keep: tensor<1x2xi1>, %x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
+   %none = "onnx.Constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
+   %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
+   %w = "onnx.Constant"() {value = dense<[[1.27, -0.5], [0.0, 2.54]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
+   %mask = "onnx.Where"(%keep, %zero, %none) : (tensor<1x2xi1>, tensor<f32>, tensor<f32>) -> tensor<1x2xf32>
+   %scores = "onnx.MatMul"(%x, %w) {onnx_node_name = "scores"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
+   %masked = "onnx.Add"(%scores, %mask) {onnx_node_name = "add"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
+   %y = "onnx.Softmax"(%masked) {onnx_node_name = "softmax"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
+   %z = "onnx.Log"(%x) {onnx_node_name = "log"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
+   return %y, %z : tensor<1x2xf32>, tensor<1x2xf32>
+ }
+ END
$ printf '\001\000' > keep; python3 -c "import struct; open('one.raw', 'wb').write(struct.pack('<2f', 1, 2)); open('zero.raw', 'wb').write(struct.pack('<2f', 1, 0))"
$ minmax-collect mask.mlir --input keep=keep --input x=one.raw --no-histogram -o mask.json; grep "min" mask.json
> "mask":{"count":2,"max":0,"min":-3.4028235e+38,"runs":[[0,[-3.4028235e+38],[0]]]},
> "masked":{"count":2,"max":1.27,"min":-3.4028235e+38,"runs":[[0,[-3.4028235e+38],[1.27]]]},
> "scores":{"count":2,"max":4.58,"min":1.27,"runs":[[0,[1.27],[4.58]]]},
> "x":{"count":2,"max":2,"min":1,"runs":[[0,[1],[2]]]},
> "y":{"count":2,"max":1,"min":0,"runs":[[0,[0],[1]]]},
> "z":{"count":2,"max":0.6931472,"min":0,"runs":[[0,[0],[0.6931472]]]}},
$ quantize mask.mlir --ranges mask.json -v -o q.qn
! quantize: 4 of 5 operators stay float: 66.7 % of the weights (16 of 24 bytes as float32) and 33.3 % of the multiply-accumulates are quantized
!   Where_0 (Where): does not map float32 to float32
!   add (Add): value "mask" holds mask values
!   softmax (Softmax): value "masked" holds mask values
!   log (Log): operator Log is sensitive: quantized only if a rule names it
$ run q.qn --mode int --input keep=keep --input x=one.raw -o out && od -An -f out/Result_0/y.raw
>                1               0
$ minmax-collect mask.mlir --input keep=keep --input x=zero.raw -o mask.json
! minmax-collect: sample 0: value "z": element 1 is infinite
? 3
$ minmax-collect mask.mlir --input keep=keep --input x=zero.raw --masks z --no-histogram | grep '^"z"'
> "z":{"count":2,"max":0,"min":-3.4028235e+38,"runs":[[0,[-3.4028235e+38],[0]]]}},
$ minmax-collect mask.mlir --input keep=keep --input x=zero.raw --masks masc
! minmax-collect: --masks: the model has no value "masc" (did you mean "mask"?)
? 2

A run that broke off goes on from its checkpoint, also on another number of threads, and gives what a whole run gives.
$ for i in $(seq 100 199); do tail -c +$i s.bin | head -c 16 > part$i.raw; echo part$i.raw; done > parts; cp part190.raw away; cp nan.raw part190.raw
$ minmax-collect net.mlir --input-list parts --checkpoint state --checkpoint-interval 0 --threads 3 -o r2.json; head -c 11 state; ls r2.json
> {"done":64,
! minmax-collect: sample 90 (parts: line 91): value "x": element 3 is NaN
! ls: cannot access 'r2.json': No such file or directory
? 2
$ cp away part190.raw; cp state kept; minmax-collect net.mlir --input-list parts --checkpoint state --threads 1 -o resumed.json; minmax-collect net.mlir --input-list parts -o whole.json; cmp resumed.json whole.json && ls state
! ls: cannot access 'state': No such file or directory
? 2
$ head -50 parts > fewer; minmax-collect net.mlir --input-list fewer --checkpoint kept -o r2.json
! minmax-collect: kept: is a checkpoint of other samples or settings
? 3
$ head -c 300 kept > state; minmax-collect net.mlir --input-list parts --checkpoint state -o r2.json
! minmax-collect: state: not JSON: line 8, column 147
!   ...]],[265,[2]],[267,[4]],[270,[4]],[272,[4]],[513,[4]],[519,[4
!                                                                  ^
? 3

Samples without elements have no range, which is said at once.
$ echo '%y = "onnx.Relu"(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>' >wide.mlir; minmax-collect wide.mlir --shape x=3,0 --random 1 -q
! minmax-collect: random sample 0: its inputs have no elements: [3,0]
? 3
