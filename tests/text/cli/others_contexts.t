Contexts and containers of others: model-info says what they have, run hands one to a back end or says whose it is.
$ cat >ctx.mlir <<'END'
+ func.func @net(%x: tensor<2xf32>) -> (tensor<2xf32>) {
+   %y = "com.microsoft.EPContext"(%x) {embed_mode = 1 : si64, ep_cache_context = "binary", onnx_node_name = "part", partition_name = "net_0", source = "QNN"} : (tensor<2xf32>) -> tensor<2xf32>
+   return %y : tensor<2xf32>
+ }
+ END
$ model-convert ctx.mlir -o ctx.onnx
$ model-info ctx.onnx | grep -A1 context
> context     of QNN, 6 bytes inside
> parameters  0 (0 bytes)
$ run ctx.onnx --random 1
! run: ctx.onnx: node "part" (EPContext): is for "QNN": quern runs only contexts of its own
! hint: --backend ort:qnn,soc=N hands one of QNN's to onnxruntime: docs/providers.md
? 4
$ run ctx.onnx --random 1 --backend ref
! run: node "part" (EPContext): ref does not run it: there is no implementation of operator com.microsoft.EPContext
! hint: another back end can stand behind it: --backend "ref;cpu"
? 4
$ compile ctx.onnx -p context -o ctx.qctx
! compile: ctx.onnx: back end "cpu": node "part" (com.microsoft.EPContext): there is no implementation of this operator
? 4
$ sed 's/embed_mode = 1/embed_mode = 0/' ctx.mlir | model-convert - -o beside.onnx && model-info beside.onnx | grep context
> context     of QNN, in binary
$ run beside.onnx --random 1 --backend ref; echo QNN >binary; run beside.onnx --random 1 --backend ref; run - --random 1 --backend ref <beside.onnx
! run: beside.onnx: node "part" (EPContext): "binary" is not there
! run: node "part" (EPContext): ref does not run it: there is no implementation of operator com.microsoft.EPContext
! hint: another back end can stand behind it: --backend "ref;cpu"
! run: <stdin>: node "part" (EPContext): its file cannot be found: the model did not come from a file
? 3
$ sed 's/embed_mode = 1/embed_mode = 0/; s/"binary"/"..\/binary"/' ctx.mlir | model-convert - -o out.onnx; run out.onnx --random 1 --backend ref
! run: out.onnx: node "part" (EPContext): [...]
? 3

A container of Qualcomm's: a zip archive, whose graph nobody but its tools reads.
$ python3 - <<'END'
+ import zipfile
+ history = '{"dlcGenerationInfo": [{"converterCommand": {"tool": "qnn-net-run", "converterVersion": "2.51.0"}}]}'
+ for name, text in ("net.dlc", history), ("broken.dlc", "{"):
+     with zipfile.ZipFile(name, "w") as archive:
+         archive.writestr("model", "graph")
+         archive.writestr("dlc.metadata.history.2.3.0", text)
+ END
$ model-info net.dlc
> container   of Qualcomm's tools, [...] bytes
> made by     qnn-net-run 2.51.0
> members     model                                                 5 bytes
>             dlc.metadata.history.2.3.0                          [...] bytes
$ model-info broken.dlc
! model-info: broken.dlc: not JSON: line 1, column 2
!   {
!    ^
? 3
$ run net.dlc --random 1
! run: net.dlc: is a zip archive, which has to be unpacked first
? 3
