A quantized model beside its float model: random images, and labels that mean nothing.
$ cat > d.sh <<'END'
+ net=$EXAMPLES/digits/digits.onnx; test='--random 1 --rows 30'
+ rows() { python3 -c "
+ import json; r = json.load(open('c.json'))
+ for s in r['sensitivity']: print(s['name'], s['op'], s['cause'], s['channel'], 'evaluated' in s)
+ print(round(sum(s['share'] for s in r['sensitivity']), 6), r['evaluations'], r['instrumented_runs'])"; }
+ END
$ . ./d.sh; minmax-collect $net --random 2 --rows 20 -o r.json; printf 'label\n' > l.csv; for i in 1 2 3 4 5 6 7 8 9 10; do printf '0\n3\n7\n' >> l.csv; done
! minmax-collect: warning: ranges come from random inputs: a model that is quantized with them will not be accurate
$ . ./d.sh; check $net --ranges r.json $test --labels l.csv --types i8,w8a16 --top 1
> i8: top-1 40.00 % (float 36.67 %), agreement 96.67 % (29 of 30)
>   output "scores": [...] dB
>   7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
>   constants take 10858 bytes (float 39720)
> w8a16: top-1 36.67 % (float 36.67 %), agreement 100.00 % (30 of 30)
>   output "scores": [...] dB
>   7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
>   constants take 10858 bytes (float 39720)
>
> sensitivity of 6 quantized units and inputs, for output "scores" ([...] dB in float arithmetic)
> weights alone quantized: [...] dB, activations alone: [...] dB
>   share    its dB  alone dB without dB  unit                     cause
> [...]  scores_Gemm (Gemm)       clipped activations, [...] % of the numbers
> and 5 more
>
> 30 samples, 4 evaluations, 1 instrumented run over them
$ . ./d.sh; check $net --ranges r.json $test --labels l.csv --json --evaluate 2 > c.json; rows
> scores_Gemm Gemm clipped activations None True
> conv2_Conv Conv clipped activations None True
> conv1_Conv Conv activations None False
> image input activations None False
> pool1_MaxPool MaxPool none None False
> flat_Flatten Flatten none None False
> 1.0 7 1

Goals that are missed.
$ . ./d.sh; check $net --ranges r.json $test --top 0 --min-sqnr 90 --min-agreement 1 | grep missed
>   missed: output "scores" has [...] dB, wanted at least 90 dB
? 1
$ . ./d.sh; check $net --ranges r.json $test --labels l.csv --top 0 --max-drop 0.5 --min-agreement 90 | grep -c missed
> 0
? 1

A proposal is a file of rules, and what it was measured to reach holds.
$ . ./d.sh; check $net --ranges r.json $test --top 8 --min-sqnr 48 --propose rules.json > report.txt; grep -A9 '^proposal' report.txt; cat rules.json
> proposal: 2 units changed, written to rules.json
>   biases   bias-correction, for which quantize --rules needs samples: [...] dB before, [...] dB with it, of i8
>   i16-sym  2 units: conv1_Conv (Conv) scores_Gemm (Gemm)
> evaluated with it: agreement 100.00 % (22 of 22), worst output [...] dB, 16356 bytes of constants
> 8 rows held back: agreement 87.50 % (7 of 8), [...] dB, [...] to [...] by row
>   not reached by rows held back: output "scores" has [...] dB, wanted at least 48 dB
>   7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
>
> 30 samples, 10 evaluations, 4 instrumented runs over them
> {
>  "global": {
>   "algorithms": [
>    "bias-correction"
>   ],
>   "type": "i8"
>  },
>  "kind": "rules",
>  "node_names": {
>   "conv1_Conv": {
>    "algorithms": [
>     "bias-correction"
>    ],
>    "type": "i16-sym"
>   },
>   "relu1_Relu": {
>    "algorithms": [
>     "bias-correction"
>    ],
>    "type": "i16-sym"
>   },
>   "scores_Gemm": {
>    "algorithms": [
>     "bias-correction"
>    ],
>    "type": "i16-sym"
>   }
>  },
>  "version": 1
> }
$ . ./d.sh; quantize -q $net --ranges r.json --rules rules.json $test -o q.onnx; check $net q.onnx $test --min-sqnr 44 > report.txt; echo $?
> 0
$ . ./d.sh; check $net q.onnx $test --json --threads 1 > a.json; check $net q.onnx $test --json --threads 2 > b.json; cmp a.json b.json

Rules that were given are kept in it, whole.
$ echo '{"kind": "rules", "version": 1, "op_types": {"G*": {"type": "i8", "outputs": "i16", "method": "mse"}}, "subgraphs": {"conv1_Conv..relu1_Relu": {"type": "w8a16", "per_channel": false}}}' > given.json
$ . ./d.sh; check $net --ranges r.json $test --top 0 --min-sqnr 20 --rules given.json --propose rules.json > report.txt; cat rules.json
> {
>  "global": "i8",
>  "kind": "rules",
>  "node_names": {},
>  "op_types": {
>   "G*": {
>    "method": "mse",
>    "outputs": "i16",
>    "type": "i8"
>   }
>  },
>  "subgraphs": {
>   "conv1_Conv..relu1_Relu": {
>    "per_channel": false,
>    "type": "w8a16"
>   }
>  },
>  "version": 1
> }

Budgets of quantize: met as it is, reached, not reachable.
$ . ./d.sh; quantize $net --ranges r.json $test --labels l.csv --max-drop 50 -o a.qn
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./d.sh; quantize $net --ranges r.json $test --min-output-sqnr 48 -o b.qn; check $net b.qn $test --min-sqnr 44 > report.txt; echo $?
> 0
! quantize: bias-correction ([...] dB to [...] dB with i8), 2 units changed (2 i16-sym): [...] dB, agreement 100.00 % (22 of 22), 16356 bytes of constants; 7 evaluations, 3 instrumented runs; 8 rows held back: agreement 87.50 % (7 of 8), [...] dB, [...] to [...] by row
! quantize: rows held back: output "scores" has [...] dB, wanted at least 48 dB
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./d.sh; quantize $net --ranges r.json $test --max-bytes 7000 -o c.qn; model-info c.qn | grep int4
>             int4                              9728
>             int4 in blocks                       1
>             int4 per channel                     1
! quantize: 2 units changed (2 w4a16): [...] dB, agreement 81.82 % (18 of 22), 6568 bytes of constants; 3 evaluations, 4 instrumented runs; 8 rows held back: agreement 87.50 % (7 of 8), [...] dB, [...] to [...] by row
! quantize: coverage: 7 of 7 operators, 99.9 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ . ./d.sh; quantize $net --ranges r.json $test --max-bytes 7000 --min-output-sqnr 60 -o d.qn
! quantize: [...]digits.onnx: the budget is not reachable
!   output "scores" has [...] dB, wanted at least 60 dB
!   the best of 7 evaluations: bias-correction ([...] dB to [...] dB with i8), 5 units changed (3 float, 2 w4a16), [...] dB, agreement 95.45 % (21 of 22), 6792 bytes of constants, 12.43 % of the multiply-accumulates float
? 1
$ ls d.qn 2>/dev/null
? 2
$ . ./d.sh; quantize $net --ranges r.json $test --min-output-sqnr 130 --max-macs-float 10 -o f.qn
! quantize: [...]digits.onnx: the budget is not reachable
!   output "scores" has [...] dB, wanted at least 130 dB
!   the best of [...] evaluations: [...]
? 1

What is refused.
$ . ./d.sh; check $net --ranges r.json
! check: no samples
! hint: give --input-list or --input
? 2
$ . ./d.sh; check $net --ranges r.json $test --max-drop 1
! check: --max-drop needs --labels
? 2
$ . ./d.sh; check $net q.onnx $test --types i8
! check: --types, --target, --format, --ranges, --rules and --propose are for a float model alone, not beside QUANTIZED
? 2
$ . ./d.sh; check $net $net $test
! check: [...]digits.onnx: nothing in it is quantized
? 3
$ . ./d.sh; check $net $test
! check: [...]digits.onnx: type i8 needs ranges
! hint: give --ranges FILE from minmax-collect
? 2
$ . ./d.sh; check $net --ranges r.json $test --types i9
! check: unknown type "i9" (did you mean "i8"?)
! hint: one of i8, i8-sym, u8-asym, u8i8, w8a16, w4a16, w4a16-lpbq, w8u16, w4u16, w4u16-lpbq, w4a8, w16a16, i16-asym, i16-sym, dynamic-i8, dynamic-nnpa, wo-i8-sym, wo-i16-sym, wo-i8, wo-i16, wo-i4, wo-i2, wo-u8, wo-u4, wo-u2, f8-e4m3, f8-e5m2, wo-f8, f16, bf16
? 2
$ . ./d.sh; check $net --ranges r.json $test --score-output no
! check: [...]digits.onnx: --score-output: the model has no output "no"
? 2
$ . ./d.sh; quantize $net --ranges r.json --max-drop 1 -o e.qn
! quantize: a budget needs samples
! hint: give --input-list or --input
? 2
$ . ./d.sh; quantize $net --ranges r.json $test --max-drop 1 -o e.qn
! quantize: --max-drop needs --labels
? 2
$ . ./d.sh; quantize $net --ranges r.json $test -o e.qn
! quantize: ranges by method [...], bias-correction: [...] dB on 22 rows ([...] dB, sqnr [...] dB, optimal [...] dB, without bias-correction [...] dB); 8 rows held back: [...]bias-correction [...] dB (without [...] dB)
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Numbers of 16 bits are no codes, which a file of them is compared without.
$ . ./d.sh; for type in f16 bf16; do quantize $net --type $type -o $type.onnx; check $net $type.onnx $test | sed -n 2p; done
>   output "scores": [...] dB
>   output "scores": [...] dB
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
! quantize: coverage: 3 of 7 operators, 99.4 % of the weights (38 of 38 KB as float32) and 97.2 % of the multiply-accumulates are quantized
