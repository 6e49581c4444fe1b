The extremes of each run are kept of the first 1000 samples, so that ranges do not grow with the samples; --keep-runs keeps all.

$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(24000)))"
$ cat > net.mlir <<'END'
+ func.func @net(%x: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
+   %w = "onnx.Constant"() {value = dense<[[[1.27, -0.5], [0.0, 2.54]]]> : tensor<1x2x2xf32>} : () -> tensor<1x2x2xf32>
+   %y = "onnx.MatMul"(%x, %w) {onnx_node_name = "product"} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
+   return %y : tensor<1x2x2xf32>
+ }
+ END
$ X='x=s.bin:u8[2,2]-8'; minmax-collect net.mlir --input "$X" --rows 1000 -o thousand.json; minmax-collect net.mlir --input "$X" -o all.json
+ minmax-collect net.mlir --input "$X" --keep-runs -o kept.json
+ python3 - <<'PY'
+ import json, os
+ for name in "thousand", "all", "kept":
+     values = json.load(open(name + ".json"))["values"]
+     print(name, [(sum(len(part[1]) for part in v["runs"]), v.get("runs_left_out")) for v in values.values()])
+ size = {name: os.stat(name + ".json").st_size for name in ("thousand", "all", "kept")}
+ print(size["all"] < 1.05 * size["thousand"], size["kept"] > 4 * size["all"])
+ PY
> thousand [(1000, None), (1000, None)]
> all [(1000, 5000), (1000, 5000)]
> kept [(6000, None), (6000, None)]
> True True

Shards give the bytes of one run, a resumed collection, too.
$ X='x=s.bin:u8[2,2]-8'; minmax-collect net.mlir --input "$X" --rows 700 -o a.json; minmax-collect net.mlir --input "$X" --skip-rows 700 --rows 700 -o b.json
+ minmax-collect net.mlir --input "$X" --skip-rows 1400 -o c.json; minmax-collect merge c.json a.json b.json | cmp - all.json && echo same
+ for part in 0:700 700:700 1400:4600; do minmax-collect net.mlir --input "$X" --skip-rows ${part%:*} --rows ${part#*:} --keep-runs -o $part.json; done
+ minmax-collect merge 0:700.json 700:700.json 1400:4600.json --keep-runs | cmp - kept.json && echo same
+ minmax-collect merge kept.json | cmp - all.json && echo same
+ minmax-collect net.mlir --input "$X" --checkpoint state --checkpoint-interval 0 --threads 2 | cmp - all.json && echo same
> same
> same
> same
> same
! minmax-collect: the extremes of each run are left out of samples from 1000 on: --keep-runs keeps them

Files whose samples are numbered anew are as one list, too.
$ python3 -c "open('t.bin', 'wb').write(open('s.bin', 'rb').read()[4 * 5300:])"; X='x=s.bin:u8[2,2]-8'
+ minmax-collect net.mlir --input "$X" --rows 5300 -o a.json; minmax-collect net.mlir --input "x=t.bin:u8[2,2]-8" -o b.json
+ minmax-collect merge --renumber a.json b.json -o both.json; cmp both.json all.json && echo same
> same
! minmax-collect: the extremes of each run are left out of samples from 1000 on: --keep-runs keeps them

Methods that look at them say what they need.
$ quantize net.mlir --ranges all.json --type i8 --method moving-average -o q.qn
! quantize: net.mlir: value "[...]": method moving-average needs the extremes of each run, which these ranges have of 1000 of 6000
! hint: collect them with --keep-runs, or choose another --method, such as min-max
? 3
$ quantize net.mlir --ranges c.json --type i8 --method run-percentile -o q.qn
! quantize: net.mlir: value "[...]": method run-percentile needs the extremes of each run, which these ranges have of 0 of 4600
! hint: collect them with --keep-runs, or choose another --method, such as min-max
? 3
$ quantize net.mlir --ranges all.json --type uint8 -o q.circle
! quantize: net.mlir: value "[...]": the percentile that is usual for this format needs the extremes of each run, which these ranges have of 1000 of 6000
! hint: collect them with --keep-runs, or choose another --method, such as min-max
? 3
$ quantize net.mlir --ranges c.json --type i8 --method tf-enhanced -o q.qn
! quantize: net.mlir: value "[...]": method tf-enhanced needs the extremes of the first run whose numbers differ, which these ranges do not have
! hint: collect them with --keep-runs
? 3
$ quantize net.mlir --ranges kept.json --type i8 --method moving-average -o a.qn -q && quantize net.mlir --ranges all.json --type uint8 --method min-max -o b.circle -q
+ quantize net.mlir --ranges kept.json --type uint8 -o c.circle -q && ls a.qn b.circle c.circle
> a.qn
> b.circle
> c.circle
$ for type in i8 w8a16; do for method in auto min-max percentile mse sqnr optimal tf-enhanced entropy; do for ranges in all kept; do
+ quantize net.mlir --ranges $ranges.json --type $type --method $method -o $ranges.qn -q; done; cmp all.qn kept.qn || echo $type $method; done; done

The same samples twice are found, those whose extremes were left out, too.
$ minmax-collect merge all.json c.json
! minmax-collect: c.json: sample 1400 is on both sides
! hint: --renumber lets the samples of each file follow those before
? 3

A file of counts that overflow is refused.
$ sed 's/"runs_left_out":5000/"runs_left_out":18446744073709551615/' all.json > most.json; minmax-collect merge most.json c.json
! minmax-collect: c.json: value "x": counts overflow 64 bits
? 3
