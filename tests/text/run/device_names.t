What a file says as a device or a back end is a name: a path in it is refused, by the node, whatever lies there.
$ cat >net.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> (tensor<2xf32>) {
+   %a = "onnx.Relu"(%x) {device = "xlibxbin", onnx_node_name = "first"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %a : tensor<2xf32>
+ }
+ END
$ sed 's#xlibxbin#./libbin#' net.mlir >path.mlir && run path.mlir --random 1
! run: path.mlir: node "first" (Relu): its device is "./libbin", need a name of letters, digits and _ - . : (paths are given by the user, not by files)
? 3
$ model-convert net.mlir --passes none -o net.onnx && sed -i 's#xlibxbin#./libbin#' net.onnx && codegen net.onnx -p context -o net.qctx
! codegen: net.onnx: node "first" (Relu): its device is "./libbin", need a name of letters, digits and _ - . : (paths are given by the user, not by files)
? 3
$ echo '{"kind": "target", "version": 1, "name": "t", "devices": [{"name": "npu", "backend": "./libbin"}]}' >target.json; run net.mlir --random 1 --target ./target.json
! run: ./target.json: devices[0].backend: is "./libbin", need a name of letters, digits and _ - . : (paths are given by the user, not by files)
? 3
$ model-convert net.mlir -o net.circle && mkdir -p pack/metadata && cp net.circle pack && echo 'BACKENDS=./libbin' >pack/metadata/config.cfg
+ echo '{"major-version": "1", "minor-version": "2", "patch-version": "0", "configs": ["config.cfg"], "models": ["net.circle"], "model-types": ["circle"]}' >pack/metadata/MANIFEST
+ onert_run pack
> Package Filename pack
! onert_run: pack/metadata/MANIFEST: pack/metadata/config.cfg: BACKENDS: got "./libbin", need a name of letters, digits and _ - . : (paths are given by the user, not by files)
? 3
$ cp pack/net.circle pack/net.so && sed -i 's/net.circle/net.so/' pack/metadata/MANIFEST && onert_run pack
> Package Filename pack
! onert_run: pack/metadata/MANIFEST: models[0]: is a library by its name, which is code: the model of a package is a file of another format
? 3
