Costs of a target from measured times.

$ cat > mine.json <<'END'
+ {"kind": "target", "version": 1, "name": "mine", "basis": "estimate: by hand", "devices": [{"name": "cpu", "backend": "cpu", "costs": [
+   {"op": "MatMul", "precision": "float", "seconds": 1e-6, "macs_per_second": 1e9},
+   {"op": "Relu", "seconds": 1e-6, "_note": "stays"},
+   {"op": "Tanh", "seconds": 1e-6}, {"bytes_per_second": 1e9}]}]}
+ END
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2xf32>) -> tensor<1x100xf32> {
+   %a = "onnx.Constant"() {value = dense<0.5> : tensor<2x50xf32>} : () -> tensor<2x50xf32>
+   %b = "onnx.Constant"() {value = dense<0.5> : tensor<50x4xf32>} : () -> tensor<50x4xf32>
+   %c = "onnx.Constant"() {value = dense<0.5> : tensor<4x100xf32>} : () -> tensor<4x100xf32>
+   %0 = "onnx.MatMul"(%x, %a) {onnx_node_name = "m1"} : (tensor<1x2xf32>, tensor<2x50xf32>) -> tensor<1x50xf32>
+   %1 = "onnx.Relu"(%0) {onnx_node_name = "r1"} : (tensor<1x50xf32>) -> tensor<1x50xf32>
+   %2 = "onnx.MatMul"(%1, %b) {onnx_node_name = "m2"} : (tensor<1x50xf32>, tensor<50x4xf32>) -> tensor<1x4xf32>
+   %3 = "onnx.Relu"(%2) {onnx_node_name = "r2"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   %4 = "onnx.MatMul"(%3, %c) {onnx_node_name = "m3"} : (tensor<1x4xf32>, tensor<4x100xf32>) -> tensor<1x100xf32>
+   %5 = "onnx.Relu"(%4) {onnx_node_name = "r3"} : (tensor<1x100xf32>) -> tensor<1x100xf32>
+   %6 = "onnx.Tanh"(%5) {onnx_node_name = "t"} : (tensor<1x100xf32>) -> tensor<1x100xf32>
+   onnx.Return %6 : tensor<1x100xf32>
+ }
+ END

Products of 100, 200 and 400 MACs take 3, 4 and 6 us, in 10 calls each 10 times that: 2 us a call and 1e8 MACs a second,
while the target has 1.1, 1.2 and 1.4 us: 0.3 of it in the median, 1.4 / 6 at worst. One figure alone is a median: of 2, 3 and
50 us a call, 3. One Tanh is too few.

$ cat > p.json <<'END'
+ {"profile": [{"node": "m1", "op": "MatMul", "seconds": 3e-5, "calls": 10}, {"node": "m2", "seconds": 4e-5, "calls": 10},
+   {"node": "m3", "seconds": 6e-5, "calls": 10}, {"node": "r1", "seconds": 2e-6}, {"node": "r2", "seconds": 5e-5},
+   {"node": "r3", "seconds": 3e-6}, {"node": "t", "seconds": 9e-6}]}
+ END
$ place net.mlir --target ./mine.json --calibrate p.json -o new.json
! place: 7 times; what costs say over what was measured, before and after:
!   device      costs                            times    median     worst    median     worst
!   cpu         MatMul float                         3       0.3     0.233         1         1
!   cpu         Relu *                               3     0.333      0.02         1      0.06
!   cpu         Tanh *                               1     0.111     0.111  stays as it is: fewer than 3
!   1 row without a time stays as it is
$ cat new.json
> {
>   "basis": "estimate: by hand; 2 of 4 rows of costs fitted to times of net.mlir",
>   "devices": [
>     {
>       "backend": "cpu",
>       "costs": [
>         {
>           "macs_per_second": 100000000.0,
>           "op": "MatMul",
>           "precision": "float",
>           "seconds": 2e-06
>         },
>         {
>           "_note": "stays",
>           "op": "Relu",
>           "seconds": 3e-06
>         },
>         {
>           "op": "Tanh",
>           "seconds": 1e-06
>         },
>         {
>           "bytes_per_second": 1000000000.0
>         }
>       ],
>       "name": "cpu"
>     }
>   ],
>   "kind": "target",
>   "name": "mine",
>   "version": 1
> }
$ place net.mlir --target ./new.json -q --report - | sed -n '1,2p;/^node/,$p'
> target      mine (estimate: by hand; 2 of 4 rows of costs fitted to times of net.mlir)
> placed by   min-cut: 23.00 us a run, 0 ns of it transfers and changes of encoding; the least there is, by costs that are an estimate
> node  operator                device              time      on cpu  why
> m1    onnx.MatMul             cpu              3.00 us              no other device runs it
> r1    onnx.Relu               cpu              3.00 us              no other device runs it
> m2    onnx.MatMul             cpu              4.00 us              no other device runs it
> r2    onnx.Relu               cpu              3.00 us              no other device runs it
> m3    onnx.MatMul             cpu              6.00 us              no other device runs it
> r3    onnx.Relu               cpu              3.00 us              no other device runs it
> t     onnx.Tanh               cpu              1.00 us              no other device runs it
$ place net.mlir --target ./mine.json --calibrate p.json -q | cmp - new.json

What a kernel took along is in the time of its product: 1 us more each, which the target's Relu takes. Two entries of a node
are calls of it.

$ cat > along.json <<'END'
+ {"profile": [{"node": "m1", "kernel": "onednn matmul+Relu", "seconds": 3e-6}, {"node": "m2", "kernel": "onednn matmul+Relu", "seconds": 5e-6},
+   {"node": "m3", "kernel": "onednn matmul+Relu", "seconds": 7e-6}, {"node": "m1", "kernel": "onednn matmul+Relu", "seconds": 5e-6}]}
+ END
$ place net.mlir --target ./mine.json --calibrate along.json -o along-new.json; grep -B2 -A3 MatMul along-new.json
>         {
>           "macs_per_second": 100000000.0,
>           "op": "MatMul",
>           "precision": "float",
>           "seconds": 2e-06
>         },
! place: 3 times; what costs say over what was measured, before and after:
!   device      costs                            times    median     worst    median     worst
!   cpu         MatMul float                         3      0.44     0.343         1         1
!   3 rows without a time stay as they are
!   1 node has no time

An integer unit is one time: its Relus have none of their own, and take 1 us each of 4, 5 and 7.

$ minmax-collect net.mlir --random 1 --rows 4 -q -o r.json; quantize net.mlir --ranges r.json --type i8 -q -o q.qn
$ sed 's/"precision": "float", //' mine.json > any.json; sed 's/"kernel": "onednn matmul+Relu", //g' along.json > units.json
$ place q.qn --target ./any.json --calibrate units.json -o units-new.json; grep -B1 -A2 MatMul units-new.json
>           "macs_per_second": 100000000.0,
>           "op": "MatMul",
>           "seconds": 2e-06
>         },
! place: 3 times; what costs say over what was measured, before and after:
!   device      costs                            times    median     worst    median     worst
!   cpu         MatMul *                             3      0.44     0.343         1         1
!   3 rows without a time stay as they are
!   1 node has no time

A run of ours, and the whole of a target that builds on another.

$ run net.mlir --random 1 --num-runs 5 --profile --json > run.json
$ echo '{"kind": "target", "version": 1, "name": "mine", "extends": "mine.json", "devices": [{"name": "cpu", "costs": [{"seconds": 1e-6}]}]}' > on.json
$ place net.mlir --target ./on.json --calibrate run.json -q -o run-new.json && grep -e basis -e backend -e extends run-new.json
>   "basis": "measured: costs fitted to times of net.mlir",
>       "backend": "cpu",

Times of a node that the model has not are told, with --strict an error; most of them are of another model.

$ sed 's/"r3"/"r4"/' p.json > one.json; place net.mlir --target ./mine.json --calibrate one.json -o one-new.json
! place: one.json: times of no node: 1
!   profile[5]: the model has no node "r4" (did you mean "r1"?)
! place: 6 times; what costs say over what was measured, before and after:
!   device      costs                            times    median     worst    median     worst
!   cpu         MatMul float                         3       0.3     0.233         1         1
!   cpu         Relu *                               2      0.26      0.02  stays as it is: fewer than 3
!   cpu         Tanh *                               1     0.111     0.111  stays as it is: fewer than 3
!   1 row without a time stays as it is
!   1 node has no time
$ place net.mlir --target ./mine.json --calibrate one.json --strict -o no.json
! place: one.json: times of no node: 1
!   profile[5]: the model has no node "r4" (did you mean "r1"?)
? 1
$ sed 's/"\([mr]\)\([0-9]\)"/"\1_\2"/g' p.json > other.json; place net.mlir --target ./mine.json --calibrate other.json -o no.json
! place: other.json: profile[0]: the model has no node "m_1" (did you mean "m1"?)
!   profile[1]: the model has no node "m_2" (did you mean "m2"?)
!   profile[2]: the model has no node "m_3" (did you mean "m3"?)
!   profile[3]: the model has no node "r_1" (did you mean "r1"?)
!   profile[4]: the model has no node "r_2" (did you mean "r2"?)
!   profile[5]: the model has no node "r_3" (did you mean "r3"?)
! hint: most times are of no node: the profile is of another model
? 3
$ sed 's/"op": "MatMul"/"op": "Gemm"/; s/"[mr][23]"/"x"/g' p.json > op.json; place net.mlir --target ./mine.json --calibrate op.json -o no.json
! place: op.json: times of no node: 2
!   profile[0]: node "m1" is a Gemm there, a MatMul in the model
!   profile[1]: the model has no node "x" (did you mean "t"?)
! place: op.json: no row of costs of mine has 3 times
? 1

Too few times, none that a row is about, devices without a back end, other files.

$ echo '{"profile": [{"node": "m1", "seconds": 1e-6}, {"node": "m2", "seconds": 1e-10}]}' > few.json; place net.mlir --target ./mine.json --calibrate few.json -o no.json
! place: profile[1]: "m2" (MatMul) is not used: it is below 1 ns
! place: few.json: no row of costs of mine has 3 times
? 1
$ sed 's/"seconds": 4e-5/"device": "npu", &/' p.json > device.json; place net.mlir --target ./mine.json --calibrate device.json -o no.json
! place: device.json: profile[1].device: target mine has no device "npu" (did you mean "cpu"?)
? 3
$ echo '{"kind": "target", "version": 1, "name": "two", "extends": "mine.json", "devices": [{"name": "npu", "costs": [{"seconds": 1e-6}]}]}' > two.json
$ sed 's/"kernel": "onednn matmul+Relu"/"device": "npu", &/g' along.json > npu.json; place net.mlir --target ./two.json --calibrate npu.json -o none-new.json
! place: device npu has no back end: its times are those of the simulation on ref
! place: 3 times; what costs say over what was measured, before and after:
!   device      costs                            times    median     worst    median     worst
!   npu         * *                                  3       0.4     0.286         1     0.714
!   4 rows without a time stay as they are
!   1 node has no time
$ echo '{"profile": [{"node": "m1", "seconds": -1}]}' > bad.json; place net.mlir --target ./mine.json --calibrate bad.json -o no.json
! place: bad.json: profile[0].seconds: is -1, need a time of at least 0
? 3
$ echo '{"profile": []}' > bad.json; place net.mlir --target ./mine.json --calibrate bad.json -o no.json
! place: bad.json: profile: is empty, need times of nodes, as run --profile --json prints them
? 3
$ place net.mlir --target ./mine.json --calibrate mine.json -o no.json
! place: mine.json: "profile" is missing
? 3
$ place net.mlir --target ./mine.json --calibrate p.json -o no.qn
! place: -o no.qn: a target's name ends in .json
? 2
$ place net.mlir --target ./mine.json --calibrate p.json --report r.txt -o no.json
! place: --report is not for --calibrate, which places nothing
? 2
$ ls no.*
! ls: cannot access 'no.*': No such file or directory
? 2
