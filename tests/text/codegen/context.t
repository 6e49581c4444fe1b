Compiled contexts: a file that run starts at once, with the results of the model.

$ cp $EXAMPLES/digits/digits.onnx net.onnx
$ codegen net.onnx -p context -o a.qctx && codegen net.onnx -p context -o b.qctx && cmp a.qctx b.qctx
$ run a.qctx --random 1 -o a && run net.onnx --random 1 -o b && diff -r a b && ls a
> Result_0
$ model-info --verify a.qctx | sed 's/for .*/for .../; s/[0-9]* bytes/... bytes/'
> context     of quern 0.1.0, for ...
> graph       main, computes in float
> inputs      image  float32[batch,1,8,8]
> outputs     scores  float32[batch,10]
> part        cpu on back end cpu 1, ... bytes
> lineage     6015de39fe9870afc6c381e6eee62535
$ model-info --json a.qctx | grep '"mode"'
>       "mode": "float",

Mode and graph are decided when it is made.

$ run a.qctx --random 1 --mode int
! run: a.qctx: is a context: --mode, --shape, --pin, --reference, --arithmetic, --stateful and --backend were decided when it was made
? 2
$ codegen net.onnx -p context --option graphs=second=net.onnx --option mode=fake -o two.qctx
$ run two.qctx --graph second --random 1 -o c && ls c
> Result_0
$ run two.qctx --graph secnd --random 1 -o c
! run: two.qctx: the context has no graph "secnd" (did you mean "second"?)
! hint: its graphs: main, second
? 2
$ codegen net.onnx -p context --option mode=real -o x.qctx
! codegen: net.onnx: --option mode=real: need float, fake or int
? 2

For another instruction set.

$ codegen net.onnx -p context --isa base -o base.qctx && model-info base.qctx | sed -n 1p && run base.qctx --isa base --random 1 -o i && run base.qctx --random 1 -o j && diff -r i j
> context     of quern 0.1.0, for base
$ run a.qctx --isa base --random 1
! run: a.qctx: is compiled for [...], here is base
! hint: make it again with quern codegen --isa base
? 4

A narrower set gives the same codes; a context for another machine is made here and runs there.

$ minmax-collect net.onnx --random 1 --rows 8 -q -o ranges.json && quantize net.onnx --ranges ranges.json --type i8 -q -o i8.qn
$ run i8.qn --random 2 --native-io -q -o model
$ for isa in base avx2; do codegen i8.qn -p context --isa $isa -q -o $isa-i8.qctx && run $isa-i8.qctx --random 2 --native-io -q -o $isa && diff -r model $isa; done
$ codegen i8.qn -p context --isa aarch64 -o arm.qctx && model-info --verify arm.qctx | sed -n 1p && run arm.qctx --random 1
> context     of quern 0.1.0, for aarch64
! run: arm.qctx: is compiled for aarch64, here is [...]
! hint: make it again with quern codegen --isa [...]
? 4
$ quern compile net.onnx -p context --isa aarch64 -o armed.qctx && model-info armed.qctx | sed -n 1p
> context     of quern 0.1.0, for aarch64
! compile: armed.qctx is for aarch64: the model that it was made of stays loaded
$ codegen net.onnx -p context --isa aarch64 --option embed=yes -q -o arm.onnx && run arm.onnx --random 1 2>&1 | sed 's/ here .*//'
> run: arm.onnx: is compiled for aarch64,
> hint: make it again with quern codegen [...]
? 4
$ codegen net.onnx -p c --isa aarch64
! codegen: --isa aarch64 is for the generator context, not for c
? 2
$ quern compile net.onnx -p context --isa aarch64 --random 1 --output-dir o -o armed.qctx
! compile: --output-dir runs the product, which --isa aarch64 makes for another machine
? 2
$ codegen net.onnx -p context --isa arm64
! codegen: --isa: unknown "arm64"
! hint: one of base, avx2, avx512, aarch64
? 2
$ codegen net.onnx -p context --option isa=arm64
! codegen: net.onnx: --option isa=arm64: need one of base, avx2, avx512, aarch64
? 2

Tools that work on models do not take contexts.

$ quantize a.qctx --type wo-i8-sym -o x.qn
! quantize: a.qctx: is a compiled context: quern run and model-info take it, other tools the model that it was made of
? 3

EPContext models.

$ codegen net.onnx -p context -o beside.onnx && run beside.onnx --random 1 -o d && diff -r a d && ls beside.*
> beside.onnx
> beside.qctx
$ codegen net.onnx -p context --option embed=yes -o inside.onnx && run inside.onnx --random 1 -o e && diff -r a e
$ for m in beside inside; do model-info --verify $m.onnx | sed -n 1,2p | sed 's/for .*/for .../'; done
> context     of quern 0.1.0, for ...
> graph       main, computes in float
> context     of quern 0.1.0, for ...
> graph       main, computes in float
$ mkdir other && cp beside.onnx other && run other/beside.onnx --random 1 -o d
! run: other/beside.onnx: node "quern_context" (EPContext): "beside.qctx" is not there
? 3
$ cp two.qctx other/beside.qctx && run other/beside.onnx --random 1 -o d && codegen $TEST_MODELS/relu_chain.mlir -p context -o other/beside.qctx && run other/beside.onnx --random 1 -o d
! run: other/beside.onnx: node "quern_context" (EPContext): its context is another's: that has [...], the model "image" float32[batch,1,8,8]
? 3
$ model-info other/beside.onnx | sed -n 1p && rm other/beside.qctx && model-info other/beside.onnx | sed -n 4p
> context     of quern 0.1.0, for [...]
> nodes       1
! model-info: other/beside.onnx: node "quern_context" (EPContext): "beside.qctx" is not there
$ run - --random 1 < beside.onnx
! run: <stdin>: node "quern_context" (EPContext): its file cannot be found: the model did not come from a file
? 3
$ quern compile - -p c -o x < beside.onnx
! compile: <stdin>: node "quern_context" (EPContext): its file cannot be found: the model did not come from a file
? 3

A cache keeps what did not change.

$ for i in 1 2; do codegen net.onnx -p context --cache kept -o cached.qctx; done; cmp a.qctx cached.qctx && ls kept | wc -l
> 1

$ codegen net.onnx -p c --cache kept
! codegen: --cache is for the generator context, not for c
? 2

A library of generated C++ is a model like any other.

$ codegen net.onnx -p cpp --lib -o lib >/dev/null && codegen lib/libnet.so -p context -o lib.qctx && run lib.qctx --random 1 -o f && diff -r a f
$ run lib/libnet.so --random 1 -o g && run lib/libnet.so --random 1 --backend ref -o h && diff -r a g && ls h/Result_0
> scores.raw

Broken files.

$ head -c 1000 a.qctx > short.qctx; run short.qctx --random 1 2>&1 | sed 's/says .*/says .../'
> run: short.qctx: has 1000 bytes, its header says ...
? 3
$ printf 'x' | dd of=b.qctx bs=1 seek=100 conv=notrunc status=none; run b.qctx --random 1
! run: b.qctx: the table of sections differs from its digest
? 3
$ size=$(stat -c %s a.qctx); printf 'x' | dd of=a.qctx bs=1 seek=$((size / 2)) conv=notrunc status=none; model-info --verify a.qctx
! model-info: a.qctx: section "blob" 0 differs from its digest
? 3
