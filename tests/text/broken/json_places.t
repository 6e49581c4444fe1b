What is no JSON is shown with its line and a caret, in every file that users write.

$ echo '%y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>' >net.mlir; minmax-collect net.mlir --random 1 -q -o r.json
$ printf '{\n  "kind": "rules",\n  "version": 1\n  "global": "i8"\n}\n' >bad.json; quantize net.mlir --ranges r.json --rules bad.json -o q.qn
! quantize: bad.json: not JSON: line 4, column 10
!     "global": "i8"
!            ^
? 3
$ printf '{"version": "2.0.0", "encodings": [}' >bad.json; quantize net.mlir --ranges r.json --overrides bad.json -o q.qn
! quantize: bad.json: not JSON: line 1, column 36
!   {"version": "2.0.0", "encodings": [}
!                                      ^
? 3
$ printf '{"device_placement": [\n  {"device": cpu}]}' >bad.json; place net.mlir --target cpu --load-placement bad.json -o p.qn
! place: bad.json: not JSON: line 2, column 14
!     {"device": cpu}]}
!                ^
? 3
$ printf '{"name": "mine",\n\t"devices": [,]}' >bad.json; place net.mlir --target ./bad.json -o p.qn
! place: ./bad.json: not JSON: line 2, column 14
!   \t"devices": [,]}
!                 ^
? 3
$ sed 's/"samples"/samples/' r.json >bad.json; quantize net.mlir --ranges bad.json -o q.qn
! quantize: bad.json: not JSON: line 3, column 1
!   samples:1,
!   ^
? 3

Nothing at all; the end of what was cut off.
$ : >bad.json; quantize net.mlir --ranges bad.json -o q.qn
! quantize: bad.json: not JSON: is empty
? 3
$ head -c 20 r.json >bad.json; quantize net.mlir --ranges bad.json -o q.qn
! quantize: bad.json: not JSON: line 2, column 3
!   "l
!     ^
? 3

A key that means nothing.
$ printf '{"kind": "rules", "version": 1, "rules": []}' >bad.json; quantize net.mlir --ranges r.json --rules bad.json -o q.qn
! quantize: bad.json: rules: is not a kind of rule
! hint: kinds of rules: global, io, module_names, module_types, node_names, op_types, subgraphs
? 3
$ printf '{"placement": []}' >bad.json; place net.mlir --target cpu --load-placement bad.json -o p.qn
! place: bad.json: "placement" is not a key of placement files
! hint: keys: device_placement, quantization, nnpa_ops_config, compile_options; a comment's key begins with _
? 3
$ printf '{"_why": "a comment"}' >good.json; place net.mlir --target cpu --load-placement good.json -o p.qn
! place: good.json: sets nothing: no record of device_placement, quantization or nnpa_ops_config is in it
$ ls q.qn
! ls: cannot access 'q.qn': No such file or directory
? 2
