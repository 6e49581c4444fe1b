What was written, in the runtime that it is for, beside quern's own run. The real ones are asked by tests/peers; here is what stands in for a Python that has them.
$ cat > d.sh <<'END'
+ export QUERN_PYTHON=$PWD/python
+ q() { quantize -q $EXAMPLES/digits/digits.onnx --ranges r.json "$@"; }
+ v() { quantize $EXAMPLES/digits/digits.onnx --ranges r.json --random 1 --rows 3 --verify-with ort -o q.onnx "$@"; }
+ END
$ minmax-collect -q $EXAMPLES/digits/digits.onnx --random 2 --rows 20 -o r.json
$ cat > python <<'END' && chmod +x python
+ #!/bin/sh
+ case $2 in *'print(version)'*) echo onnxruntime 9; exit;; esac
+ [ -z "$BROKEN" ] || { echo "$BROKEN" >&2; exit 1; }
+ echo "$QUERN_MODEL $QUERN_INPUT_NAMES $QUERN_OUTPUT_NAMES" $(ls "$QUERN_INPUTS"/*/*.npy | wc -l) > said
+ cp -r "${OTHER:-$(dirname "$QUERN_OUTPUTS")/own}" "$QUERN_OUTPUTS"
+ END
$ . ./d.sh; v; cat said
> q.onnx image scores 3
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: q.onnx: output "scores" in onnxruntime 9: equal over 3 samples
$ . ./d.sh; run -q $EXAMPLES/digits/digits.onnx --random 1 --rows 3 --format npy -o float; OTHER=float v --verify-sqnr 90
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: q.onnx: output "scores" in onnxruntime 9: [...] dB over 3 samples
? 1
$ . ./d.sh; OTHER=float v --verify-sqnr 10
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: q.onnx: output "scores" in onnxruntime 9: [...] dB over 3 samples
$ . ./d.sh; BROKEN='no kernel' v
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: q.onnx: onnxruntime 9 could not run it (exit 1)
!   no kernel
? 4

Where it is not installed nothing is written.
$ . ./d.sh; rm q.onnx; QUERN_PYTHON=nosuch v
! quantize: --verify-with ort: nosuch is not on the PATH
! hint: QUERN_PYTHON names a Python that has onnxruntime
? 4
$ . ./d.sh; printf '#!/bin/sh\necho "No module named onnxruntime" >&2; exit 1\n' > none && chmod +x none; QUERN_PYTHON=./none v; ls q.onnx
! quantize: --verify-with ort: ./none has no onnxruntime
!   No module named onnxruntime
! hint: QUERN_PYTHON names a Python that has it
! ls: cannot access 'q.onnx': No such file or directory
? 2
$ . ./d.sh; v --no-libraries
! quantize: --verify-with ort: is code of others, which --no-libraries forbids
? 4
$ . ./d.sh; q --random 1 --verify-with ort -o q.tflite
! quantize: --verify-with ort: runs onnx files, the output is tflite
? 2
$ . ./d.sh; q --random 1 --verify-with ort
! quantize: --verify-with needs a file: -o names it
? 2
$ . ./d.sh; q --verify-with ort -o q.onnx
! quantize: --verify-with needs samples
! hint: give --input-list or --input
? 2
$ . ./d.sh; v --dry-run
! quantize: --dry-run writes nothing that --verify-with could run
? 2

onert is the third of them; codegen has the same option for the files of these runtimes.
$ cat > onert <<'END' && chmod +x onert
+ #!/bin/sh
+ case $2 in *'print(version)'*) echo onert 9; exit;; esac
+ cp -r "$(dirname "$QUERN_OUTPUTS")/own" "$QUERN_OUTPUTS"
+ END
$ . ./d.sh; export QUERN_PYTHON=$PWD/onert; q --type u8-asym --random 1 --rows 2 --verify-with onert -o q.circle -q; quantize $EXAMPLES/digits/digits.onnx --ranges r.json --type u8-asym --random 1 --rows 2 --verify-with onert -o q.circle
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: q.circle: output "scores" in onert 9: equal over 2 samples
$ . ./d.sh; export QUERN_PYTHON=$PWD/onert; codegen q.circle -p circle -o g.circle --random 1 --rows 2 --verify-with onert
! codegen: g.circle: output "scores" in onert 9: equal over 2 samples
$ . ./d.sh; export QUERN_PYTHON=$PWD/onert; codegen q.circle -p c -o c --random 1 --verify-with onert
! codegen: --verify-with onert: runs circle files, the output is c
? 2
$ codegen q.circle -p circle -o g.circle --random 1
! codegen: samples are for --verify-with
? 2
$ codegen q.circle -p circle -o g.circle --verify-with onert
! codegen: --verify-with needs samples
! hint: give --input-list or --input
? 2
