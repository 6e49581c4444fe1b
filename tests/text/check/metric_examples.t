The examples of metrics, on what a net hands through: boxes of two samples, a text, scores of classes. Their truth is known, and so what rounding leaves of it.
$ cat > d.sh <<'END'
+ m() { check $EXAMPLES/digits/digits.onnx --ranges r.json --random 1 --rows 30 --top 0 "$@"; }
+ END
$ minmax-collect -q $EXAMPLES/digits/digits.onnx --random 2 --rows 20 -o r.json
$ for d in boxes:2x4 text:6x4 scores:1x3; do echo "func.func @net(%x: tensor<${d#*:}xf32>) -> tensor<${d#*:}xf32> {
+   %${d%:*} = \"onnx.Relu\"(%x) {onnx_node_name = \"relu\"} : (tensor<${d#*:}xf32>) -> tensor<${d#*:}xf32>
+   return %${d%:*} : tensor<${d#*:}xf32>
+ }" > ${d%:*}.mlir; done
$ python3 -c "
+ import struct
+ def put(name, *numbers): open(name + '.f32', 'wb').write(struct.pack('<%df' % len(numbers), *numbers))
+ put('boxes', 0,0,2,2, 5,5,6,6, 0,0,1,1, 10,10,14,14)
+ put('text', 0,1,0,0, 0,1,0,0, 1,0,0,0, 0,9,0,0, 0,0,0,1, 1,0,0,0, *[1,0,0,0] * 6)
+ put('scores', .9,.2,.5, .1,.7,.1)"
$ printf '1 0 3 2\n0 0 1 1 10 10 12 14\n' > boxes.txt; printf 'abc\nb\n' > text.txt; printf '1 1 1\n0 0 0\n' > scores.txt
$ run -q boxes.mlir --input 'x=boxes.f32:f32[2,4]' --format npy -o boxes; run -q text.mlir --input 'x=text.f32:f32[6,4]' --format npy -o text; run -q scores.mlir --input 'x=scores.f32:f32[1,3]' --format npy -o scores
$ QUERN_OUTPUTS=boxes sh $EXAMPLES/metrics/iou.sh boxes boxes.txt; QUERN_OUTPUTS=text sh $EXAMPLES/metrics/cer.sh text text.txt abc; QUERN_OUTPUTS=scores sh $EXAMPLES/metrics/f1.sh scores scores.txt
> 0.611111
> 0.500000
> 0.666667
$ printf '0 1 0 3 2\n0 0 0 1 1 0 10 10 12 14\n' > classes.txt; printf 'func.func @net(%%x: tensor<2x1xf32>) -> tensor<2x1xf32> {\n  %%conf = "onnx.Relu"(%%x) : (tensor<2x1xf32>) -> tensor<2x1xf32>\n  return %%conf : tensor<2x1xf32>\n}' > conf.mlir
$ python3 -c "import struct; open('conf.f32', 'wb').write(struct.pack('<4f', .9, .2, .8, .7))"; run -q conf.mlir --input 'x=conf.f32:f32[2,1]' --format npy -o conf; for i in 0 1; do cp conf/Result_$i/conf.npy boxes/Result_$i; done
$ for iou in 0.3 0.5 0.6; do QUERN_OUTPUTS=boxes sh $EXAMPLES/metrics/map.sh boxes conf classes.txt $iou; done
> 1.000000
> 0.444444
> 0.166667
$ QUERN_OUTPUTS=boxes QUERN_FIRST_ROW=1 sh $EXAMPLES/metrics/iou.sh boxes boxes.txt
! boxes.txt: fewer lines than samples
? 1
$ QUERN_OUTPUTS=boxes sh $EXAMPLES/metrics/iou.sh box boxes.txt
! no output box in boxes/Result_0
? 1
$ minmax-collect -q scores.mlir --input 'x=scores.f32:f32[1,3]' -o s.json && check scores.mlir --ranges s.json --input 'x=scores.f32:f32[1,3]' --top 0 --metric "sh $EXAMPLES/metrics/f1.sh scores scores.txt 0.45" | sed -n 2p
>   metric: 0.666667 (float 0.666667)
$ . ./d.sh; for metric in cosine "sh $EXAMPLES/metrics/cosine.sh scores"; do m --metric "$metric" --json | python3 -c "import json, sys; print('%.4f' % json.load(sys.stdin)['models'][0]['evaluation']['metric']['quantized'])"; done | uniq | wc -l
> 1
