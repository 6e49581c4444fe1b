The rules of a type follow the runtime that is meant: a target's or a file's. Where a model was quantized by others, those of its nodes on the CPU that give real numbers are counted.
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx; minmax-collect -q $net --random 3 --rows 8 -o r.json; quantize -q $net --ranges r.json -o m.qn; quantize -q $net --ranges r.json --target ethos-u55-128 -o t.qn; quantize -q $net --ranges r.json -o m.tflite
$ place m.qn --target ethos-u55-128 --report out.txt
! place: 10 of 47 nodes run on cpu, as no other device can run them; see -v for which and why
! place: of these in real numbers: 6; the model was not quantized by the rules of tflite, the target's runtime, which quantize --target ethos-u55-128 follows
What was quantized so is as it is, whatever file it is in.
$ model-convert t.qn -o t.onnx; for m in t.qn t.onnx m.tflite; do place $m --target ethos-u55-128 --report out.txt; done
! place: 5 of 45 nodes run on cpu, as no other device can run them; see -v for which and why
! place: 5 of 45 nodes run on cpu, as no other device can run them; see -v for which and why
! place: 5 of 45 nodes run on cpu, as no other device can run them; see -v for which and why
codegen says it of the files that it writes for a runtime, and of no others.
$ codegen m.qn -p tflite -o y.tflite; codegen t.qn -p tflite -o z.tflite; codegen m.qn -p context -o m.qctx
! codegen: operators in real numbers: 5; the model was not quantized by the rules of tflite files, which quantize follows with -o FILE.tflite or a --target of that format
