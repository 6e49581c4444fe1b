The head of a detector: boxes up to 600 beside scores up to 1. Its figure is that of the scores, which a sum over both would hide.
$ cp $NETS/head.mlir net.mlir; minmax-collect net.mlir --random 1 --rows 20 -o r.json 2> /dev/null; quantize net.mlir --ranges r.json --set-op-type Concat=i8 -o q.qn
$ check net.mlir q.qn --random 2 --rows 20 --top 0 --min-sqnr 30 | sed -n '1,2p;/missed/p'
> q.qn:
>   output "y": 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all; sample 0 has 0.00 dB
>   missed: output "y" has 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all, wanted at least 30 dB
? 1
$ check net.mlir q.qn --random 2 --rows 20 --json | grep -E 'agreement|sqnr|"name": "(\\|sample)'
>         "agreement": null,
>             "sqnr": 0.0,
>             "whole_sqnr": 46.1647017[...],
>               "name": "\"scores\" (4 to 7 of axis 1)",
>               "sqnr": 0.0
>               "name": "sample 0",
>               "sqnr": 0.0
$ model-diff net.mlir q.qn --random 2 --rows 20 --outputs-only --threshold 30
>   SQNR dB     cosine    max error    max |ref|  value
>      0.00   0.999989      3.48633      598.955  y (output): 0.00 dB at "scores" (4 to 7 of axis 1), 46.16 dB over all
> first below 30 dB: y (0.00)
? 1
$ check net.mlir q.qn --random 2 --rows 20 --top 0 --min-agreement 90 | grep missed
>   missed: agreement is not known: the output with the scores is not [batch, classes]
? 1
$ quantize net.mlir --ranges r.json --random 2 --rows 20 --min-output-sqnr 30 --set-op-type Concat=i8 -o b.qn
! quantize: 4 units changed (4 w8a16): 40.00 dB, 8 bytes of constants; 10 evaluations, 3 instrumented runs; 5 rows held back: 40.33 dB, 39.43 to 41.03 by row
$ check net.mlir b.qn --random 3 --rows 20 --top 0 | sed -n 2p
>   output "y": 40.12 dB at "scores" (4 to 7 of axis 1), 85.95 dB over all; sample 1 has 39.21 dB

Samples on another scale than the ranges: pixels up to 255 beside ranges of -1 to 1, and the other way round.
$ printf '\177\0\201\177%.0s' 1 2 3 4 5 6 7 8 > s.i8
$ check net.mlir q.qn --input 'x=s.i8:i8[1,4,8]' --top 0 | grep samples
>   input "x": the samples lie in -127 to 127, its encoding is for -1.001 to 0.9927
> 1 samples, 3 evaluations, 1 instrumented run over them
$ check net.mlir q.qn --input 'x=s.i8:i8[1,4,8]/10000' --top 0 --json | grep -A1 contra
>         "contradictions": [
>           "input \"x\": the samples lie in -0.0127 to 0.0127, its encoding is for -1.001 to 0.9927"
$ quantize net.mlir --ranges r.json --input 'x=s.i8:i8[1,4,8]' --min-output-sqnr -200 -q -o b.qn; quantize net.mlir --ranges r.json --input 'x=s.i8:i8[1,4,8]' --min-output-sqnr -200 -o b.qn 2>&1 | grep samples
> quantize: input "x": the samples lie in -127 to 127, its encoding is for -1.001 to 0.9927
