Execution providers of the user's onnxruntime: what is said where it is not there, or where a device is named wrongly.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> (tensor<2xf32>) {
+   %y = "onnx.Relu"(%x) {onnx_node_name = "relu"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ QUERN_ORT=./none.so run net.mlir --random 1 --backend ort
! run: back end "ort": onnxruntime cannot be loaded: ./none.so: cannot open shared object file: No such file or directory (QUERN_ORT names libonnxruntime.so, or a folder with it: a Python environment that has onnxruntime)
? 4
$ mkdir empty && QUERN_ORT=empty run net.mlir --random 1 --backend ort:cpu
! run: back end "ort": QUERN_ORT is empty: there is no libonnxruntime.so in it, its lib, capi, onnxruntime/capi or site-packages
? 4
$ QUERN_ORT=./none.so run --list-backends | grep '^ort'
> ort [...] back end "ort": onnxruntime cannot be loaded: ./none.so: [...]
The device is checked before anything is loaded.
$ run net.mlir --random 1 --backend ort:qnm
! run: back end "ort": execution provider "qnm" is unknown (did you mean "qnn"?) (there are cpu, qnn, openvino, cuda)
? 2
$ run net.mlir --random 1 --backend ort:qnn
! run: back end "ort": provider qnn needs soc=: the chip: [...] (--backend ort:qnn,soc=57)
? 2
$ run net.mlir --random 1 --backend 'ort:qnn,soc=57,arhc=75;cpu'
! run: back end "ort": provider qnn has no setting "arhc" (it has soc=, arch=, vtcm=, optimize=, prepare=, performance=)
? 2
$ run net.mlir --random 1 --backend ort --backend-options '{"device": "qnn,soc"}'
! run: back end "ort": "soc" of device "qnn,soc": need NAME=TEXT (it has soc=, arch=, vtcm=, optimize=, prepare=, performance=)
? 2
$ run net.mlir --random 1 --backend ort:cpu --backend-options '{"device": "qnn,soc=57"}'
! run: back end "ort": its options {"device": "qnn,soc=57"} name another device than "cpu"
? 2
$ run net.mlir --random 1 --backend ort --backend-options '{"provider": {"a": [1]}}'
! run: back end "ort": provider.a: need a text, a number or a boolean
? 2
$ run net.mlir --random 1 --backend ort --backend-options '{"soc": 57}'
! run: back end "ort": unknown option "soc": there are device, product, sharing, provider and session
? 2
$ codegen net.mlir -p qnn-context -o net.onnx
! codegen: net.mlir: which chip it is for is not said
! hint: --option soc=SM8650 is Snapdragon 8 Gen 3
? 2
$ QUERN_ORT=./none.so codegen net.mlir -p dlc --option soc=57 -o net.dlc
! codegen: net.mlir: back end "ort": onnxruntime cannot be loaded: [...]
? 4
$ ls net.onnx net.dlc 2>/dev/null
? 2
$ run net.mlir --random 1 --no-libraries --backend ort
! run: back end "ort": [...]
? 4
$ check net.mlir --random 1 --backend-options '{}'
! check: --backend-options needs --backend
? 2
