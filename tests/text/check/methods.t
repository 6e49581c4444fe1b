A proposal begins with the method for ranges that loses least: it costs nothing where the model runs. The rules say it of every type that they give.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; minmax-collect -q $net --random 3 --rows 4 -o r.json; check $net --ranges r.json --random 5 --rows 4 --min-sqnr 20 --propose rules.json --json > c.json; echo $?
> 0
$ python3 -c "
+ import json
+ r, rules = json.load(open('c.json')), json.load(open('rules.json'))
+ first, p = r['models'][0]['evaluation']['outputs'][0]['sqnr'], r['proposal']
+ print(p['met'], p['method'] == rules['global']['method'], p['tried_methods'][p['method']] >= first + 1, len(p['tried_methods']) == 3)
+ print(all(rule == 'none' or rule['method'] == p['method'] for rule in rules['node_names'].values()))
+ print('%.2f' % p['evaluation']['outputs'][0]['sqnr'], file=open('reached', 'w'))"
> True True True True
> True
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize -q $net --ranges r.json --rules rules.json --random 5 --rows 4 -o q.qn && check $net q.qn --random 5 --rows 4 --top 0 --min-sqnr 20 > out.txt; echo $?; grep -q "$(cat reached) dB" out.txt; echo $?
> 0
> 0
Where the goal is met as it is nothing is tried, and where weights alone are quantized there is nothing to try.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; for type in i8:5 wo-i4:60; do check $net --ranges r.json --types ${type%:*} --random 5 --rows 4 --min-sqnr ${type#*:} --propose rules.json --json > c.json; echo $?; python3 -c "import json; p = json.load(open('c.json'))['proposal']; print('method' in p, 'tried_methods' in p)"; done
> 0
> False False
> 0
> False False

Samples alone choose the method for ranges, and whether biases are corrected: all that was tried is told, and also what rows that chose nothing have to say. A method that is named stays.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --random 5 --rows 4 -o m.qn; check $net m.qn --random 5 --rows 4 --top 0 | sed -n 2p
>   output "165": [...] dB; sample [...] has [...] dB
! quantize: ranges by method optimal, bias-correction: [...] dB on 4 rows (auto [...] dB, min-max [...] dB, sqnr [...] dB, without bias-correction [...] dB)
! quantize: output "165" keeps only [...] dB: quern check with --propose says why, and what mends it
! quantize: 44 of 81 operators stay float: 97.6 % of the weights (64 of 65 KB as float32) and 97.1 % of the multiply-accumulates are quantized; see -v or --report for which and why
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --random 5 --rows 16 -o m.qn 2>&1 | grep -o '4 rows held back: min-max [0-9.]* dB (auto [0-9.]* dB)' | sed 's/[0-9.]* dB/N dB/g'
> 4 rows held back: min-max N dB (auto N dB)
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; quantize $net --ranges r.json --random 5 --rows 4 --method mse -o m.qn
! quantize: ranges by method mse, bias-correction: [...] dB on 4 rows (without bias-correction [...] dB)
! quantize: output "165" keeps only [...] dB: quern check with --propose says why, and what mends it
! quantize: 44 of 81 operators stay float: 97.6 % of the weights (64 of 65 KB as float32) and 97.1 % of the multiply-accumulates are quantized; see -v or --report for which and why

Types of weights alone have no ranges: samples measure their outputs, and say what a few bits cost behind what amplifies.
$ cat > amplified.mlir <<'END'
+ func.func @amplified(%x: tensor<1x3xf32>) -> tensor<1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[0.3, 0.17, -0.9, 0.41], [-0.7, 0.23, 0.55, -0.31], [0.11, -0.4, 0.35, -0.1]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
+   %m = "onnx.MatMul"(%x, %w) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
+   %y = "onnx.Reciprocal"(%m) : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ for type in wo-i4 wo-i8; do quantize amplified.mlir --type $type --random 5 --rows 16 -o m.onnx; done
! quantize: wo-i4: [...] dB on 12 rows
! quantize: output "y" keeps only [...] dB: quern check with --propose says why, and what mends it
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (48 of 48 bytes as float32) and 75.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else
! quantize: wo-i8: [...] dB on 12 rows
! quantize: coverage: 1 of 2 operators, 100.0 % of the weights (48 of 48 bytes as float32) and 75.0 % of the multiply-accumulates are quantized
! quantize: onnxruntime needs session.qdq_matmulnbits_accuracy_level = 1 for this file: 1 product of float activations, which it computes in 8 bits else

Outputs of Softmax and the like saturate: what they read chooses, the figure that is told is of the outputs. Weights alone have nothing to choose.
$ cat > scores.mlir <<'END'
+ func.func @scores(%x: tensor<1x3xf32>) -> tensor<1x4xf32> {
+   %w = "onnx.Constant"() {value = dense<[[3.1, 1.7, -9.2, 4.1], [-7.3, 2.3, 5.5, -3.1], [1.1, -4.6, 3.5, -1.2]]> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
+   %m = "onnx.MatMul"(%x, %w) : (tensor<1x3xf32>, tensor<3x4xf32>) -> tensor<1x4xf32>
+   %y = "onnx.Softmax"(%m) {axis = -1 : si64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
+   return %y : tensor<1x4xf32>
+ }
+ END
$ minmax-collect -q scores.mlir --random 3 --rows 8 -o scores.json; quantize scores.mlir --ranges scores.json --random 5 --rows 4 -o m.qn 2>&1 | tee said | sed 's/ [0-9.]* dB/ N dB/g'
> quantize: ranges by method [...]: N dB on 4 rows, chosen by what Softmax reads, as that saturates: N dB (auto N dB, [...])
> quantize: coverage: 2 of 2 operators, 100.0 % of the weights (48 of 48 bytes as float32) and 100.0 % of the multiply-accumulates are quantized
$ check scores.mlir m.qn --random 5 --rows 4 --top 0 | sed -n 's/.*"y": \([0-9.]* dB\);.*/: \1 on 4 rows,/p' | grep -c -f - said
> 1
$ quantize scores.mlir --type wo-i8 --random 5 --rows 4 -o m.qn 2>&1 | grep -c Softmax
> 0
? 1

A proposal makes at most 12 evaluations, and is no larger than one type that suffices for all units.
$ net=$TEST_MODELS/exports/torch/timm_poolformer.script.onnx; check $net --ranges r.json --random 5 --rows 16 --min-sqnr 14 --propose rules.json --json > c.json; python3 -c "
+ import json
+ c = json.load(open('c.json')); p = c['proposal']
+ print(p['met'], c['evaluations'] <= 12, sorted(set(change['type'] for change in p['changes'])))"
> True True ['w8a16']

Where the goal is still missed bias correction is tried once, on the first type: it stays where it gains and loses nothing on rows held back, in budgets and in proposals, and units change for what it leaves alone.
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx; minmax-collect -q $net --random 3 --rows 32 -o v3.json; quantize $net --ranges v3.json --random 5 --rows 24 --min-output-sqnr 42 -o m.qn; check $net m.qn --random 105 --rows 24 --top 0 --min-sqnr 42 | grep -c missed
> 0
! quantize: ranges by method min-max, bias-correction ([...] dB to [...] dB with i8): [...] dB, agreement 100.00 % (18 of 18), 12706 bytes of constants; 6 evaluations, 0 instrumented runs; 6 rows held back: agreement 100.00 % (6 of 6), [...] dB, [...] to [...] by row
! quantize: coverage: 35 of 35 operators, 100.0 % of the weights (30 of 30 KB as float32) and 100.0 % of the multiply-accumulates are quantized
? 1
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx; check $net --ranges v3.json --random 5 --rows 24 --min-sqnr 42 --propose rules.json --json > c.json; python3 -c "
+ import json
+ p = json.load(open('c.json'))['proposal']; tried = p['bias_correction']; held = tried['held_back']
+ print(p['met'], len(p['changes']), tried['chosen'], tried['after_db'] >= tried['before_db'] + 0.5, held['after_db'] >= held['before_db'])
+ print(json.load(open('rules.json'))['global'])"
> True 0 True True True
> {'algorithms': ['bias-correction'], 'method': 'min-max', 'type': 'i8'}
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx; quantize $net --ranges v3.json --rules rules.json -o q.qn
! quantize: [...]tv_mobilenet_v3.script.onnx: algorithm bias-correction needs samples
! hint: give --input-list or --input
? 2
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v3.script.onnx; quantize -q $net --ranges v3.json --rules rules.json --random 5 --rows 24 -o q.qn; check $net q.qn --random 105 --rows 24 --top 0 --min-sqnr 41 | grep -c missed
> 0
? 1
Where it is worse there, it is taken back, and that is told; which it is depends on the instruction set here.
$ net=$TEST_MODELS/exports/torch/tv_mobilenet_v2.script.onnx; minmax-collect -q $net --random 3 --rows 32 -o v2.json; quantize $net --ranges v2.json --random 5 --rows 24 --min-output-sqnr 48 -o m.qn 2>&1 | grep -Ec 'bias-correction (is worse on 6 rows held back|.*with (i8|w8a16))'
> 1

A softmax that is spelled out saturates, too.
$ sed 's/  %y = "onnx.Softmax".*/  %e = "onnx.Exp"(%m) : (tensor<1x4xf32>) -> tensor<1x4xf32>\n  %a = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>\n  %t = "onnx.ReduceSum"(%e, %a) : (tensor<1x4xf32>, tensor<1xi64>) -> tensor<1x1xf32>\n  %y = "onnx.Div"(%e, %t) : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>/' scores.mlir > spelled.mlir
$ minmax-collect -q spelled.mlir --random 1 --rows 20 -o s.json; quantize spelled.mlir --ranges s.json --random 2 --rows 20 -o s.qn 2>&1 | grep -o 'chosen by what [A-Z][a-z]* reads'
> chosen by what Exp reads
