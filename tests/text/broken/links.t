Links among the files of a model: within its folder, to where its file really lies, and to the blobs of the Hugging Face cache. Further only with --follow-links.

$ mkdir -p hub/blobs hub/snapshots/1f cut elsewhere && model-convert $EXAMPLES/digits/digits.onnx --external-data -o net.onnx && ls net.*
> net.onnx
> net.onnx.data
$ cp net.onnx hub/blobs/ab && cp net.onnx.data hub/blobs/cd && cd hub/snapshots/1f && ln -s ../../blobs/ab net.onnx && ln -s ../../blobs/cd net.onnx.data && model-info net.onnx | sed -n 1p
> graph       digits
$ cp net.onnx.data elsewhere/data && cp net.onnx cut && cd cut && ln -s ../elsewhere/data net.onnx.data && model-info net.onnx
! model-info: net.onnx: tensor "conv2.weight": external data: "net.onnx.data" leaves the folder of the model through a link
! hint: --follow-links, or QUERN_FOLLOW_LINKS=1, follows it
? 3
$ cd cut; model-info net.onnx --follow-links | sed -n 1p; QUERN_FOLLOW_LINKS=1 model-info net.onnx | sed -n 1p
> graph       digits
> graph       digits

The same of the text form, of contexts, and of weights in several files.
$ model-convert net.onnx --external-data -o net.mlir && mv net.mlir.data elsewhere && ln -s elsewhere/net.mlir.data . && model-info net.mlir | sed -n 1p
> graph       digits
$ mv net.mlir cut && cd cut && ln -s ../elsewhere/net.mlir.data . && model-info net.mlir
! model-info: net.mlir: "net.mlir.data" leaves the folder of the model through a link
! hint: --follow-links, or QUERN_FOLLOW_LINKS=1, follows it
? 3
$ codegen net.onnx -p context -o cut/made.onnx -q && mv cut/made.qctx elsewhere && cd cut && ln -s ../elsewhere/made.qctx . && run made.onnx --random 1 -o out
! run: made.onnx: node "quern_context" (EPContext): "made.qctx" leaves the folder of the model through a link
! hint: --follow-links, or QUERN_FOLLOW_LINKS=1, follows it
? 3
$ cd cut; run made.onnx --random 1 -o out --follow-links && ls out
> Result_0
$ model-convert net.onnx --dump-weights elsewhere/w.safetensors -o x.qn && cd cut && ln -s ../elsewhere/w.safetensors . && echo '{"weight_map": {"conv1.weight": "w.safetensors"}}' > w.safetensors.index.json
+ model-convert ../net.onnx --weights w.safetensors.index.json -o y.qn
! model-convert: w.safetensors.index.json: "w.safetensors" leaves the folder of the model through a link
! hint: --follow-links, or QUERN_FOLLOW_LINKS=1, follows it
? 3

And of packages: links in them lead to files of theirs.
$ mkdir -p pack/metadata && echo '{"models": ["net.circle"]}' > pack/metadata/MANIFEST && model-convert $TEST_MODELS/relu_chain.mlir -o elsewhere/net.circle && ln -s ../elsewhere/net.circle pack && onert_run pack
> Package Filename pack
! onert_run: pack/metadata/MANIFEST: "net.circle" leaves the folder of the model through a link
? 3
