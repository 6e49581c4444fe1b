The metric of the task: what is built in, and a command that reads outputs from files.
$ cat > d.sh <<'END'
+ net=$EXAMPLES/digits/digits.onnx; test='--random 1 --rows 30 --top 0'
+ m() { check $net --ranges r.json $test "$@"; }
+ END
$ . ./d.sh; minmax-collect -q $net --random 2 --rows 20 -o r.json; printf 'label\n' > l.csv; for i in 1 2 3 4 5 6 7 8 9 10; do printf '0\n3\n7\n' >> l.csv; done
$ . ./d.sh; m --types i8,w8a16 --metric cosine | grep -B1 '  metric'
> i8: agreement [...]
>   metric: 0.99[...] (float 1); sample [...] has 0.9[...]
> --
> w8a16: agreement [...]
>   metric: [...] (float 1); sample [...] has [...]
$ . ./d.sh; m --labels l.csv --metric top-5 --json > c.json; python3 -c "
+ import json
+ e = json.load(open('c.json'))['models'][0]['evaluation']
+ print(e['metric'] == {'name': 'top-5', 'float': e['float_score']['top5'] / .3, 'quantized': e['score']['top5'] / .3})"
> True

A command is run once for the float model and once for each quantized one, with all outputs in files.
$ . ./d.sh; cat > m.sh <<'END'
+ ls -d "$QUERN_OUTPUTS"/*/*.npy | wc -l >> log
+ echo "$QUERN_MODEL $1 ${QUERN_LABELS-none} ${QUERN_LABEL_COLUMN-none} $QUERN_FIRST_ROW" $(cmp -s "$QUERN_OUTPUTS/Result_3/scores.npy" "$QUERN_FLOAT_OUTPUTS/Result_3/scores.npy"; echo $?) >> log
+ echo "$QUERN_OUTPUTS" > folder
+ cat
+ case $QUERN_MODEL in float) echo 0.75;; i8) echo ' 5e-1 ';; *) echo .625;; esac
+ END
$ . ./d.sh; export QUERN_MODEL=other; rm -f log; m --types i8,w8a16 --skip-rows 2 --metric 'sh m.sh own' --json > c.json; cat log; ls $(cat folder); python3 -c "
+ import json
+ for model in json.load(open('c.json'))['models']: print(model['evaluation']['metric'])"
> 30
> float own none none 2 0
> 30
> i8 own none none 2 1
> 30
> w8a16 own none none 2 1
> {'float': 0.75, 'name': 'sh m.sh own', 'quantized': 0.5}
> {'float': 0.75, 'name': 'sh m.sh own', 'quantized': 0.625}
! ls: cannot access '[...]': No such file or directory
$ . ./d.sh; quantize -q $net --ranges r.json -o q.onnx; rm log; check $net q.onnx $test --labels l.csv:label --metric 'sh m.sh a' --min-metric 0.7 --report r.html | sed -n '1,2p;/missed/p'; cat log; grep -o '<code>sh[^/]*/code>, float [^<]*' r.html
> q.onnx: top-1 [...]
>   metric: 0.625 (float 0.75)
>   missed: the metric is 0.625, wanted at least 0.7
> 30
> float a l.csv label 0 0
> 30
> q.onnx a l.csv label 0 1
> <code>sh m.sh a</code>, float 0.75
$ . ./d.sh; check $net q.onnx $test --metric 'sh m.sh b' --min-metric 0.6 --max-metric 0.7 | grep missed; echo ${PIPESTATUS[0]}; check $net q.onnx $test --metric 'sh m.sh b' --max-metric 0.6 > out; echo $?; grep missed out
> 0
> 1
>   missed: the metric is 0.625, wanted at most 0.6

$ . ./d.sh; m --metric 'yes | sed 1q >&2; echo 1' | sed -n 2p
>   metric: 1 (float 1)
! check: --metric: "yes | sed 1q >&2; echo 1": y
! check: --metric: "yes | sed 1q >&2; echo 1": y

What it says beside its number is passed on; what fails, is not there or says no number is named.
$ . ./d.sh; check -q $net q.onnx $test --metric 'echo word >&2; echo 1' > out; check $net q.onnx $test --metric 'echo word >&2; echo 1' | sed -n 2p
>   metric: 1 (float 1)
! check: --metric: "echo word >&2; echo 1": word
! check: --metric: "echo word >&2; echo 1": word
$ . ./d.sh; m --metric 'echo no boxes >&2; exit 3'
! check: [...]digits.onnx: --metric: "echo no boxes >&2; exit 3" ended with exit code 3
!   no boxes
? 4
$ . ./d.sh; m --metric consine
! check: [...]digits.onnx: --metric: "consine" ended with exit code 127
!   sh: [...]consine: not found
! hint: cosine, top-5, iou and iou-center are built in; all else is a command for sh
? 4
$ . ./d.sh; m --metric 'echo mAP 0.5'
! check: [...]digits.onnx: --metric: "echo mAP 0.5" printed "mAP 0.5", need one number
? 4
$ . ./d.sh; m --metric true
! check: [...]digits.onnx: --metric: "true" printed nothing, need one number
? 4
$ . ./d.sh; m --metric 'echo nan'
! check: [...]digits.onnx: --metric: "echo nan" printed "nan", need one number
? 4
$ . ./d.sh; m --metric 'echo 1' --no-libraries
! check: [...]digits.onnx: --metric: "echo 1": is code of others, which --no-libraries forbids
? 4
$ . ./d.sh; m --metric cosine --no-libraries | sed -n 2p
>   metric: [...] (float 1); sample [...] has [...]
$ . ./d.sh; m --metric top-5
! check: --metric top-5 needs --labels
? 2
$ . ./d.sh; m --min-metric 1
! check: --min-metric is for --metric
? 2

Proposals and budgets keep a metric, too. A command counts rows from the first, so what is held back are the last ones.
$ . ./d.sh; m --metric cosine --min-metric 0.99999 --propose rules.json > out; echo $?; grep -A1 'evaluated with\|held back' out | grep -c metric; quantize -q $net --ranges r.json --rules rules.json --random 1 --rows 30 -o p.onnx; check -q $net p.onnx $test --metric cosine --min-metric 0.9999 > out; echo $?
> 0
> 2
> 0
$ . ./d.sh; cat > rows.sh <<'END'
+ echo "$QUERN_MODEL" from $QUERN_FIRST_ROW, $(ls -d "$QUERN_OUTPUTS"/*/*.npy | wc -l) >> log
+ [ $QUERN_MODEL = float ] && echo 1 || echo 0.$(wc -l < log)
+ END
$ . ./d.sh; rm -f log; quantize $net --ranges r.json --random 1 --rows 30 --metric 'sh rows.sh' --max-drop 50% -o p.onnx 2> out; grep -o 'metric 0[^;]*' out | wc -l; sort -u log
> 2
> float from 0, 22
> float from 22, 8
> quantized from 0, 22
> quantized from 22, 8
$ . ./d.sh; quantize $net --ranges r.json --random 1 --rows 30 --metric cosine --min-metric 0.99999 -o p.onnx; check -q $net p.onnx $test --metric cosine --min-metric 0.9999 > out; echo $?
> 0
! quantize: [...] metric 0.9999[...] (float 1), [...] bytes of constants; [...] evaluations, 3 instrumented runs; 8 rows held back: agreement [...], metric 0.9999[...] (float 1), [...] dB, [...] by row
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./d.sh; for flags in '--metric cosine' '--min-metric 1' '--max-drop 3%' '--metric top-5 --min-metric 90'; do quantize $net --ranges r.json --random 1 --rows 30 $flags -o p.onnx; done
! quantize: --metric is for --min-metric, --max-metric and --max-drop
! quantize: --min-metric is for --metric
! quantize: --max-drop 3% needs --metric
! quantize: --metric top-5 needs --labels
? 2

Boxes: each with the float model's of the same place, by corners or by centre and size; the first output that is [.., 4], or the one that is named.
$ for net in exact rounded; do cat > $net.mlir <<'END'
+ func.func @net(%x: tensor<1x3xf32>, %b: tensor<1x2x4xf32>) -> (tensor<1x3xf32>, tensor<1x2x4xf32>) {
+   %step = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
+   %zero = "onnx.Constant"() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
+   %scores = "onnx.Tanh"(%x) : (tensor<1x3xf32>) -> tensor<1x3xf32>
+   %boxes = "onnx.Relu"(%b) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
+   %q = "onnx.QuantizeLinear"(%boxes, %step, %zero) : (tensor<1x2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xui8>
+   %found = "onnx.DequantizeLinear"(%q, %step, %zero) : (tensor<1x2x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4xf32>
+   return %scores, %found : tensor<1x3xf32>, tensor<1x2x4xf32>
+ }
+ END
+ done; sed -i '/Linear/d;s/%boxes/%found/' exact.mlir
$ python3 -c "
+ import struct
+ open('x.raw', 'wb').write(struct.pack('<6f', *[.5] * 6))
+ open('b.raw', 'wb').write(struct.pack('<16f', *[0, 0, 10, 10, 0, 0, 4, 4], *[8, 8, 10, 10, 4, 4, 8, 8]))"
$ b() { check exact.mlir rounded.mlir --input 'x=x.raw:f32[1,3]' --input 'b=b.raw:f32[1,2,4]' --top 0 "$@"; }; b --metric iou | sed -n 2p; b --metric iou-center --score-output found --max-drop 20% | grep metric
>   metric: 0.66 (float 1); sample 1 has 0.5
>   metric: 0.82 (float 1); sample 0 has 0.82
$ b() { check exact.mlir rounded.mlir --input 'x=x.raw:f32[1,3]' --input 'b=b.raw:f32[1,2,4]' --top 0 "$@"; }; b --metric iou --max-drop 30% | grep missed
>   missed: the metric falls by 34 %, wanted at most 30 %
? 1
$ b() { check exact.mlir rounded.mlir --input 'x=x.raw:f32[1,3]' --input 'b=b.raw:f32[1,2,4]' --top 0 "$@"; }; b --metric iou --score-output scores
! check: [...] --metric iou: the output of --score-output is no [.., 4] boxes
! hint: --score-output names the output
? 2
$ . ./d.sh; m --metric iou
! check: [...]digits.onnx: --metric iou: no output is [.., 4] boxes
! hint: --score-output names the output
? 2
A fall is a part of the float model's figure, whatever the metric is.
$ . ./d.sh; echo 'case $QUERN_MODEL in float) echo 0.8;; *) echo 0.796;; esac' > fall.sh; for p in 0.4 0.5; do m --metric 'sh fall.sh' --max-drop $p% | grep -c missed; done
> 1
> 0
? 1
$ . ./d.sh; m --max-drop 1%
! check: --max-drop 1% needs --metric
? 2
$ . ./d.sh; m --metric cosine --max-drop 1x%
! check: --max-drop: got "1x", need a number from 0 to 100
? 2
$ run $EXAMPLES/digits/digits.onnx --random 1 --metric iou
! run: --metric iou compares two models: see check
? 2
