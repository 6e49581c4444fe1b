Numbers outside of what an option can mean are refused, whatever the tool: every numeric option that --help lists gets nan, inf, -3, 1e300 and letters.

$ echo '%y = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>' >net.mlir
$ for tool in run minmax-collect quantize check model-convert model-diff model-info place codegen compile backend-test; do
+     $tool --help | grep -oE -- '--[a-z-]+ (N|X|P|DB|SECONDS|SEED|SIZE)\b' | while read -r option kind; do
+         for value in nan inf -3 1e300 12x; do
+             case $tool$option$value in model-diff--threshold-3 | run--label-offset-3) continue ;; esac
+             $tool net.mlir $option=$value </dev/null >out 2>&1; code=$?
+             [ $code = 2 ] && grep -q -- "$tool: $option: got \"$value\"" out || { echo "$tool $option=$value: exit $code"; cat out; }
+         done
+         echo $tool $option
+     done
+ done | sort | uniq -c | wc -l
> 126
$ quantize net.mlir --percentile 150
! quantize: --percentile: got "150", need a number above 50 to 100
! hint: in percent, not as a share: 99.99 keeps all but one value in ten thousand
? 2
$ quantize net.mlir --run-percentile 0.9999
! quantize: --run-percentile: got "0.9999", need a number above 50 to 100
! hint: in percent, not as a share: 99.99 keeps all but one value in ten thousand
? 2
$ quantize net.mlir --min-sqnr 500
! quantize: --min-sqnr: got "500", need a number from 0 to 200
? 2
$ minmax-collect net.mlir --random 1 --tolerance -3
! minmax-collect: --tolerance: got "-3", need a number from 0 to 1
? 2
$ model-diff net.mlir net.mlir --random 1 --threshold inf
! model-diff: --threshold: got "inf", need a number from -300 to 300
? 2
$ run net.mlir --random 1 --threads 100000
! run: --threads: got "100000", need an integer of at most 4096
? 2
$ model-convert net.mlir -f onnx --opset 4294967308
! model-convert: --opset: got "4294967308", need an integer of at most 999
? 2
$ run net.mlir --random 1 --memory-limit 8Q
! run: --memory-limit: got "8Q", need a number of bytes, as 512M or 8G (k, M, G, T: powers of 1000)
? 2
$ quantize net.mlir --type wo-i8-sym --report x.pdf -o x.qn
! quantize: --report x.pdf: ".pdf" is not a report format
! hint: one of .html, .htm, .json
? 2
$ place net.mlir --target cpu --report x.pdf
! place: --report x.pdf: ".pdf" is not a report format
! hint: one of .txt, .json, .svg, .html
? 2

Options of the quantizer that take a number or a word of a list say their default; budgets have none.

$ for tool in minmax-collect quantize; do
+     $tool --help | awk '/^ +(-., )?--/ { if (option) print option stated; option = stated = "" }
+         /^ +(-., )?--[a-z-]+ ([NX]|P|DB|SECONDS|[a-z0-9.-]+\|[^ ]*)( |$)/ { option = $0; sub(/^ +(-., )?/, "", option); sub(/ .*/, "", option) }
+         /\(.*default:/ { stated = "yes" } /^ *default:/ { stated = "yes" }
+         END { if (option) print option stated }' | grep -v 'yes$'
+ done
> --min-output-sqnr
> --min-metric
> --max-metric
> --max-bytes
$ echo '%y = "onnx.Relu"(%x) : (tensor<50000xf32>) -> tensor<50000xf32>' >long.mlir
$ minmax-collect long.mlir --random 1 -q -o long.json
$ quantize long.mlir --ranges long.json --type i8 --method percentile -o usual.qn
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
$ default=$(quantize --help | tr -d '\n' | sed -E 's/.*--percentile P [^)]*default: +([0-9.]+)\).*/\1/')
+ for percentile in $default 99.99; do
+     quantize long.mlir --ranges long.json --type i8 --method percentile --percentile $percentile -o given.qn
+     cmp -s usual.qn given.qn && echo $percentile as usual || echo $percentile not
+ done
> 99.999 as usual
> 99.99 not
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 1 of 1 operators, 100.0 % of the multiply-accumulates are quantized
