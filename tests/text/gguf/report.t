The report of a GGUF file: what was lost, in decibels; null where nothing was.

$ python3 $NETS/../../gguf/random_model.py r.gguf && quantize r.gguf --type q8_0 -o q.gguf
$ db() { quantize $1 --type $2 --allow-requantize -o o.gguf --report r.json && python3 -c "
+ import json
+ for t in json.load(open('r.json'))['tensors'][:2]: print(t['name'], t['from'], t['to'], t.get('rms_error'), t.get('sqnr_db', 'as it was'))"; }
+ db q.gguf f32; db r.gguf f32
> token_embd.weight q8_0 f32 0.0 None
> output_norm.weight f32 f32 None as it was
> token_embd.weight f32 f32 None as it was
> output_norm.weight f32 f32 None as it was
