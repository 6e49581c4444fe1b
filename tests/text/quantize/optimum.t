What the range of a value leaves on the table: reports and --explain say it beside what the optimum would give.
$ python3 -c "
+ import random
+ random.seed(7)
+ open('x.u8', 'wb').write(bytes(min(int(random.expovariate(0.4)), 255) for _ in range(40 * 64)))"
$ minmax-collect $EXAMPLES/digits/digits.onnx --input 'image=x.u8:u8[1,8,8]*0.0613-0' -o r.json
$ cat > left.py <<'END'
+ import json, sys
+ left = {v["name"]: v["optimum"]["sqnr_db"] - v["sqnr_db"] for v in json.load(open(sys.argv[1]))["values"] if v["role"] == "activation"}
+ print(len(left), "values,", "none above its optimum," if min(left.values()) >= 0 else left, "some below it" if max(left.values()) > 0.001 else "none below it")
+ END
$ for m in min-max percentile mse sqnr entropy optimal; do quantize $EXAMPLES/digits/digits.onnx --ranges r.json --method $m -o q.qn -q --report $m.json && echo $m && python3 left.py $m.json; done
> min-max
> 6 values, none above its optimum, some below it
> percentile
> 6 values, none above its optimum, some below it
> mse
> 6 values, none above its optimum, some below it
> sqnr
> 6 values, none above its optimum, some below it
> entropy
> 6 values, none above its optimum, some below it
> optimal
> 6 values, none above its optimum, none below it
$ quantize $EXAMPLES/digits/digits.onnx --ranges r.json --method entropy --explain relu1 -o q.qn
! quantize: value "relu1" (activation)
!   encoding  int8 scale [...] zero -128
!   decided   type, output of Relu
!   range     0 .. [...] by entropy (observed 0 .. [...])
!   SQNR      [...] dB, 0.0000 % of numbers clipped
!   optimum   0 .. [...], [...] dB: 0.1 dB more
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ quantize $EXAMPLES/digits/digits.onnx --ranges r.json --method optimal --explain relu1 -o q.qn
! quantize: value "relu1" (activation)
!   encoding  int8 scale [...] zero -128
!   decided   type, output of Relu
!   range     0 .. [...] by optimal (observed 0 .. [...])
!   SQNR      [...] dB, [...] % of numbers clipped
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

$ quantize $EXAMPLES/digits/digits.onnx --ranges r.json --report r.html -o q.qn -q && grep -c 'The optimum, .* dB more' r.html
> 5

Without histograms there is no telling.
$ minmax-collect $EXAMPLES/digits/digits.onnx --input 'image=x.u8:u8[1,8,8]*0.0613-0' --no-histogram -o bare.json
$ quantize $EXAMPLES/digits/digits.onnx --ranges bare.json --method optimal -o q.qn
! quantize: [...]: value "[...]": method optimal needs histograms, which these ranges do not have
! hint: collect them without --no-histogram
? 3
