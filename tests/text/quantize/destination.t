The figure that quantize gives of a TFLite file is that of the file as it computes, not of ONNX's arithmetic on the same codes.
$ cat >compare <<'END'
+ quantize $TEST_MODELS/exports/torch/tv_mobilenet_v2.dynamo.onnx --ranges r.json --random 1 --type i8 -o q.$1 2>said.txt
+ said=$(sed -n 's/.*ranges by [^:]*: \([0-9.]* dB\) on 1 row.*/\1/p' said.txt)
+ computed=$(model-diff $TEST_MODELS/exports/torch/tv_mobilenet_v2.dynamo.onnx q.$1 --random 1 --outputs-only --second-mode int | tail -n 1 | awk '{print $1 " dB"}')
+ [ "$said" = "$computed" ] && echo $1: the same || echo $1: $said, not $computed
+ END
$ minmax-collect -q $TEST_MODELS/exports/torch/tv_mobilenet_v2.dynamo.onnx --random 1 --rows 2 -o r.json; for format in onnx tflite; do sh compare $format; done
> onnx: the same
> tflite: the same
So is that of check, for every format.
$ cat >checked <<'END'
+ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx
+ quantize -q $net --ranges r.json -o q.$1
+ check $net q.$1 --random 5 --rows 4 | sed -n 2p >file.txt
+ check $net --ranges r.json --types i8 -f $2 --random 5 --rows 4 | sed -n 2p >asked.txt
+ cmp file.txt asked.txt && echo $1: the same
+ END
$ minmax-collect -q $TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx --random 3 --rows 8 -o r.json; sh checked onnx onnx; sh checked tflite tflite; sh checked circle circle
> onnx: the same
> tflite: the same
> circle: the same
