The model says on which target it was placed: run looks for its devices' back ends there. A file that a model names is not read.

$ cat > mine.json <<'E'
+ {"kind": "target", "version": 1, "name": "mine", "extends": "cpu", "devices": [{"name": "fast", "backend": "ref", "memory": "small",
+  "costs": [{"op": "*", "precision": "*", "seconds": 1e-9}]}], "memories": [{"name": "small", "bytes": 1024}],
+  "links": [{"from": "cpu", "to": "fast", "seconds": 1e-9, "bytes_per_second": 1e12}, {"from": "fast", "to": "cpu", "seconds": 1e-9, "bytes_per_second": 1e12}]}
+ E
$ model-convert $TEST_MODELS/relu_chain.onnx --shape arg0=2,3,4 -o net.onnx
$ place net.onnx --target ./mine.json -o placed.onnx
$ model-convert placed.onnx --passes none -f text | sed -n 1p
> module attributes {quern.lineage = "95b15b4de08ad8f4e0e4995b4ba2cb47", quern.metadata = {placed_on = "mine"}} {
$ run placed.onnx --random 1 -o a
! run: placed.onnx: placed on target "mine", which does not ship: --target names its file
! run: placed.onnx: device "fast" has no back end: simulated on ref
$ run placed.onnx --target ./mine.json --random 1 -o b && diff -r a b
$ place net.onnx --target nnpa --heuristic QualifyingOps -o placed.onnx
$ run placed.onnx --random 1 -o c && diff -r a c
! run: placed.onnx: device "nnpa" has no back end: simulated on ref

An arena that its memory does not hold is told.

$ model-convert $TEST_MODELS/relu_chain.onnx --shape arg0=2,30,40 -o large.onnx
$ place large.onnx --target ./mine.json -o placed.onnx
! place: node "Relu_0" (Relu) does not fit fast: needs 18.8 KB of 1.0 KB of small
! place: node "Relu_1" (Relu) does not fit fast: needs 18.8 KB of 1.0 KB of small
! place: node "Relu_2" (Relu) does not fit fast: needs 18.8 KB of 1.0 KB of small
! place: and 1 more nodes that do not fit; see -v
