needs: models

Weights that are in blocks already stay so, unless it is asked for; then the error that it adds is told.

$ ln -s $MODELS/gguf g; ln -s $MODELS/data/tinystories/stories_llamacpp.txt text
$ quantize g/stories260K-f32.gguf --type q8_0 --allow-fallback -q -o q8.gguf
$ quantize q8.gguf --type wo-i4 -o stay.qn && model-info stay.qn --json | python3 -c "import json, sys; print(json.load(sys.stdin)['encodings'])"
> {'int4 in blocks': 5, 'q8_0': 32}
! quantize: 32 weights in blocks of Q8_0, 76.7 % of the parameters, stay as they are; --allow-requantize quantizes them again
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized
$ quantize q8.gguf --type wo-i4 --allow-requantize --report r.json -o again.qn && model-info again.qn --json | python3 -c "import json, sys; print(json.load(sys.stdin)['encodings'])"
> {'int4 in blocks': 36, 'q8_0': 1}
! quantize: 32 weights in blocks of Q8_0, 76.7 % of the parameters, 31 of them are quantized again: the error that this adds is 20.2 dB below "blk.0.attn_v.weight", farther below the others
! quantize: coverage: 37 of 85 operators, 94.5 % of the weights (1141 of 1207 KB as float32) and 98.4 % of the multiply-accumulates are quantized
$ python3 -c "
+ import json
+ rows = [v for v in json.load(open('r.json'))['values'] if v['role'] == 'weight']
+ print(len(rows), sum(v['note'] == 'was Q8_0' for v in rows if 'note' in v), all(v['sqnr_db'] > 19 for v in rows))"
> 36 31 True
$ model-convert q8.gguf -o q8.qn && minmax-collect q8.qn --tokens text --ctx 128 -o r.json
$ quantize q8.qn --ranges r.json --type i8 --allow-requantize -o again.qn
! quantize: 32 weights in blocks of Q8_0, 76.7 % of the parameters, 31 of them are quantized again: the error that this adds is 46.1 dB below "blk.0.attn_v.weight", farther below the others
! quantize: 38 of 85 operators stay float: 94.5 % of the weights (1141 of 1207 KB as float32) and 99.1 % of the multiply-accumulates are quantized; see -v or --report for which and why
! quantize: 1 of 85 operators computes in float on weights that are codes: 10.6 % of the weights and 0.0 % of the multiply-accumulates; see -v or --report for which and why
$ run again.qn --perplexity text --ctx 128 | cut -c1-14
> perplexity 4.2
$ quantize g/stories260K-f32.gguf --type wo-i4 --allow-requantize -q -o w.qn

Blocks of 32, 16 and 43 of rows of 64 and 172: the last one is as long as it is.

$ for block in 16 32 43; do quantize g/stories260K-f32.gguf --ranges r.json --force --type w4a16 --block $block -q -o w.qn; model-diff g/stories260K-f32.gguf w.qn --kld text --ctx 128 | awk '/divergence, mean/ { printf "%.2f\n", $4 }'; done
> 0.08
> 0.13
> 0.13
$ echo '{"kind": "rules", "version": 1, "node_names": {"output": "w8a16"}}' > rules.json
$ quantize g/stories260K-f32.gguf --ranges r.json --force --type w4a16 --block 16 --rules rules.json -q -o w.onnx && model-convert w.onnx -o w.qn && model-diff g/stories260K-f32.gguf w.qn --kld text --ctx 128 | awk '/divergence, mean/ { printf "%.2f\n", $4 }'
> 0.06
