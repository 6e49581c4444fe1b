What users get wrong on a command line: each mistake is one message that names what was given and what is wanted; nothing is written.

$ cp $EXAMPLES/digits/digits.onnx net.onnx; cat >try <<'END'
+ # Each line is a command; what it says, and its exit code if it is not 2.
+ while read -r line; do
+     bash -c "$line" </dev/null 2>&1; code=$?
+     [ $code = 2 ] || echo "exit $code"
+ done
+ END

Tools and their options.
$ . ./try <<'END'
+ quern quantise net.onnx
+ quern Run net.onnx
+ quern net.onnx
+ quern --ranges r.json
+ run net.onnx --randon 1
+ run net.onnx -x
+ run net.onnx --random
+ run net.onnx --random 1 --random 2
+ run net.onnx other.onnx --random 1
+ run net.onnx --random one
+ run net.onnx --random 1 --rows 0
+ run net.onnx --random 1 --threads 0
+ run net.onnx --random 1 --format csv
+ run net.onnx --random 1 --profile=yes
+ run net.onnx -random 1
+ run net.onnx — random 1
+ run net.onnx --random 1 --isa sse
+ run net.onnx --random 1 --mode quantized
+ run net.onnx --random 1 --memory-limit lots
+ run net.onnx --random 1 --op-package mine.so
+ END
> quern: unknown tool "quantise" (did you mean "quantize"?)
> hint: quern --help lists the tools
> quern: unknown tool "Run" (did you mean "run"?)
> hint: quern --help lists the tools
> quern: unknown tool "net.onnx"
> hint: quern --help lists the tools
> quern: unknown tool "--ranges"
> hint: quern --help lists the tools
> run: unknown option "--randon" (did you mean "--random"?)
> hint: quern run --help lists the options
> run: unknown option "-x"
> hint: quern run --help lists the options
> run: --random: needs a value
> hint: quern run --help lists the options
> run: --random: given twice
> hint: quern run --help lists the options
> run: unexpected argument "other.onnx"
> hint: quern run --help lists the options
> run: --random: got "one", need an integer of at least 0
> run: --rows: got "0", need an integer of at least 1
> run: --threads: got "0", need an integer of at least 1
> run: --format: unknown "csv"
> hint: one of raw, npy, npz, stream
> run: --profile: got "yes", need a file that ends in .html, or nothing
> run: unknown option "-random" (did you mean "--random"?)
> hint: quern run --help lists the options
> run: unexpected argument "—"
> hint: quern run --help lists the options
> run: --isa: unknown "sse"
> hint: one of base, avx2, avx512
> run: --mode: unknown "quantized"
> hint: one of float, fake, int, auto
> run: --memory-limit: got "lots", need a number of bytes, as 512M or 8G (k, M, G, T: powers of 1000)
> run: op package "mine.so": there is no such library
> hint: a path has a "/": ./libmyops.so
> exit 4

Names and values that a model, a target or a format does not have.
$ . ./try <<'END'
+ run net.onnx --random 1 --shape picture=1,1,8,8
+ run net.onnx --random 1 --shape image=1x1x8x8
+ run net.onnx --random 1 --shape image=1,3,8,8
+ run net.onnx --random 1 --shape image=1,1,8
+ run net.onnx --random 1 --shape 1,1,8,8
+ run net.onnx --random 1 --pin image=one
+ run net.onnx --random 1 --signature serve
+ model-convert net.onnx -o net.pt
+ model-convert net.onnx -o net
+ model-convert net.onnx -f keras -o net.keras
+ model-convert net.onnx --opset 6 -o o.onnx
+ model-convert net.onnx --opset 99 -o o.onnx
+ model-convert net.onnx --opset 17 -o o.tflite
+ model-convert net.onnx --passes simplify -o o.qn
+ model-convert net.onnx --skip fold-constant -o o.qn
+ model-convert net.onnx --extract image:relu9 -o o.qn
+ model-convert net.onnx --extract relu1 -o o.qn
+ model-convert net.onnx --form qdp -o o.onnx
+ model-convert net.onnx -o .
+ model-convert net.onnx -o no/such/folder/o.qn
+ place net.onnx
+ place net.onnx --target ethos-u55
+ place net.onnx --target cpu --explain relu9
+ place net.onnx --target cpu --report r.pdf
+ codegen net.onnx -o o
+ codegen net.onnx -p rust -o o
+ codegen net.onnx -p c --preference fast -o o
+ codegen net.onnx -p c --option names=x -o o
+ compile net.onnx
+ compile net.onnx --type i8 -o /dev/null
+ compile net.onnx --type i8 -p context --quantized /dev/null -o o.qctx
+ model-diff net.onnx
+ model-diff net.onnx net.onnx
+ END
> run: net.onnx: --shape: no input "picture"
> hint: its inputs: image
> run: net.onnx: --shape image=1x1x8x8: input "image" is float32[batch,1,8,8]
> run: net.onnx: --shape image=1,3,8,8: dim 1 of input "image" is fixed at 1
> run: net.onnx: --shape image=1,1,8: input "image" is float32[batch,1,8,8]
> run: net.onnx: --shape 1,1,8,8: need NAME=1,3,224,224
> run: net.onnx: --pin image=one: the input is float32[batch,1,8,8]
> hint: --shape fixes its open dims
> run: net.onnx: --signature is for TFLite, Circle and .pt2 files and SavedModels, not for onnx
> model-convert: format pt2 is read only
> exit 4
> model-convert: net: the suffix names no format
> hint: give -f FORMAT, or a name that ends in one of .qn .quern .tflite .lite .circle .onnx .gguf .mlir .txt
> model-convert: unknown format "keras"
> hint: one of native, tflite, circle, tf, onnx, gguf, pt2, library, text
> model-convert: --opset: got "6", need an integer of at least 7
> model-convert: opset 99 cannot be written, only 7 to 28
> model-convert: --opset is for ONNX outputs, not for tflite
> model-convert: unknown pass "simplify"
> hint: quern model-convert --list-passes names them
> model-convert: unknown pass "fold-constant" (did you mean "fold_constants"?)
> hint: quern model-convert --list-passes names them
> model-convert: net.onnx: --extract: no value "relu9" (did you mean "relu1"?)
> model-convert: net.onnx: --extract relu1: need FROM:TO
> model-convert: --form: unknown "qdp" (did you mean "qdq"?)
> hint: one of qdq, qoperator
> model-convert: .: the suffix names no format
> hint: give -f FORMAT, or a name that ends in one of .qn .quern .tflite .lite .circle .onnx .gguf .mlir .txt
> model-convert: no/such/folder/o.qn: cannot create: No such file or directory
> exit 5
> place: --target is missing
> hint: --list-targets lists the targets
> place: there is no target "ethos-u55" (did you mean "ethos-u55-32"?)
> hint: --list-targets lists them; a file's name ends in .json
> place: input "image" is float32[batch,1,8,8]: taken with a batch of 1 (--shape sets others)
> place: there is no node "relu9"
> place: --report r.pdf: ".pdf" is not a report format
> hint: one of .txt, .json, .svg, .html
> codegen: --plugin is missing
> hint: quern codegen --list-plugins names them
> codegen: unknown plugin "rust"
> hint: quern codegen --list-plugins names them; librust-gen.so is looked for in [...]
> codegen: --preference: unknown "fast"
> hint: one of default, speed, size
> codegen: generator c has no option "names" (did you mean "name"?)
> hint: it has name, mode, arithmetic, package, report
> compile: nothing to make
> hint: --type quantizes, --plugin generates code, both do both
> compile: -o /dev/null: the product is loaded after it is made, need the name of a file
> compile: --quantized /dev/null: code is generated from it, need the name of a file
> model-diff: SECOND is required
> model-diff: no samples
> hint: give --input-list, --input or --random

Quantizing.
$ . ./try <<'END'
+ quantize net.onnx -o q.onnx
+ quantize net.onnx --type int8 -o q.onnx
+ quantize net.onnx --type i9 -o q.onnx
+ quantize net.onnx --type int4 --explain relu9 -o q.onnx
+ quantize net.onnx --ranges ranges.json -o q.onnx
+ quantize net.onnx --method minmax -o q.onnx
+ quantize net.onnx --percentile 0.99 -o q.onnx
+ quantize net.onnx --target htpp -o q.onnx
+ quantize net.onnx --dynamic --ranges r.json -o q.onnx
+ quantize net.onnx --algorithms gptqq -o q.onnx
+ quantize net.onnx --type wo-i8 --algorithms cle --smooth-mul -o q.onnx
+ check net.onnx
+ check net.onnx --types i8 --random 1
+ minmax-collect net.onnx
+ minmax-collect net.onnx --random 1 -f yaml
+ minmax-collect merge
+ minmax-collect merge a.json b.json
+ END
> quantize: net.onnx: type i8 needs ranges
> hint: give --ranges FILE from minmax-collect
> quantize: type int8 stands for i8
> quantize: net.onnx: type i8 needs ranges
> hint: give --ranges FILE from minmax-collect
> quantize: --type: unknown "i9" (did you mean "i8"?)
> hint: one of i8, i8-sym, u8-asym, u8i8, w8a16, w4a16, w4a16-lpbq, w8u16, w4u16, w4u16-lpbq, w4a8, w16a16, i16-asym, i16-sym, dynamic-i8, dynamic-nnpa, wo-i8-sym, wo-i16-sym, wo-i8, wo-i16, wo-i4, wo-i2, wo-u8, wo-u4, wo-u2, f8-e4m3, f8-e5m2, wo-f8, f16, bf16, uint8, int16, int8_wo, int16_wo, f32, q4_0, q4_1, q5_0, q5_1, q8_0, q2_k, q2_k_s, q3_k_s, q3_k_m, q3_k, q3_k_l, q4_k_s, q4_k_m, q4_k, q5_k_s, q5_k_m, q5_k, q6_k, iq4_nl, iq4_xs, tq1_0, tq2_0, mxfp4, int8, w8a8, int16x8, a16w8, u16i8, uint16x8, u16i4, fp16, float16, bfloat16, int4, dynamic, fp8, float8, float8_e4m3fn, float8e4m3fn, e4m3, float8_e5m2, float8e5m2, e5m2
> quantize: type int4 stands for wo-i4
> quantize: no encoded value and no node "relu9"
> exit 3
> quantize: ranges.json: No such file or directory
> exit 5
> quantize: --method: unknown "minmax" (did you mean "min-max"?)
> hint: one of auto, min-max, moving-average, percentile, run-percentile, mse, sqnr, optimal, tf-enhanced, entropy
> quantize: --percentile: got "0.99", need a number above 50 to 100
> hint: in percent, not as a share: 99.99 keeps all but one value in ten thousand
> quantize: there is no target "htpp" (did you mean "htp"?)
> hint: --list-targets lists them; a file's name ends in .json
> quantize: r.json: No such file or directory
> exit 5
> quantize: unknown algorithm "gptqq" (did you mean "gptq"?)
> hint: one of cle, smoothquant, awq, recalibrate, seqmse, adaround, gptq, analytic-bias-correction, fast-bias-correction, bias-correction
> quantize: --smooth-mul is for --algorithms smoothquant
> check: no samples
> hint: give --input-list or --input
> check: net.onnx: type i8 needs ranges
> hint: give --ranges FILE from minmax-collect
> minmax-collect: no samples
> hint: give --input-list, --input or --tokens
> minmax-collect: --format: unknown "yaml"
> hint: one of json, minmax-bin
> minmax-collect: merge: no files
> minmax-collect: a.json: No such file or directory
> exit 5
$ ls
> net.onnx
> try
