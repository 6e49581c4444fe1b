needs: models

GGUF in other types of ggml.

$ ln -s $MODELS/gguf g
$ quantize g/stories260K-f32.gguf --type q8_0 -o q8.gguf
! quantize: g/stories260K-f32.gguf: tensor "blk.0.ffn_down.weight": rows of 172 elements are not whole blocks of Q8_0, which have 32
! hint: --allow-fallback takes F16 there
? 3
$ quantize g/stories260K-f32.gguf --type q8_0 --allow-fallback -o q8.gguf
! quantize: 5 tensors, 18.8 % of the parameters, have another type than asked for, as their rows are not whole blocks: blk.0.ffn_down.weight F16, blk.1.ffn_down.weight F16, blk.2.ffn_down.weight F16, blk.3.ffn_down.weight F16, blk.4.ffn_down.weight F16
$ model-info q8.gguf | sed -n '/^types/,/all/p'
> types       Q8_0        32 tensors          237056 elements          251872 bytes   8.5000 bits each
>             F16          5 tensors           55040 elements          110080 bytes  16.0000 bits each
>             F32         11 tensors             704 elements            2816 bytes  32.0000 bits each
>             all         48 tensors          292800 elements          364768 bytes   9.9663 bits each
$ run q8.gguf --prompt "" -n 20
> Once upon a time, there was a little girl named Lily. She loved to play
$ quantize g/stories260K-f32.gguf --type q4_k_m --allow-fallback --tensor-type attn_k=q8_0 --report r.json -o q4.gguf 2>/dev/null && run q4.gguf --prompt "" -n 20
> Once upon a time, there was a little girl named Lily. She loved to play
$ python3 -c "
+ import json
+ for t in json.load(open('r.json'))['tensors'][:6]: print(t['name'], t['from'], t['to'], t['fallback'], round(t.get('sqnr_db', 0)))"
> token_embd.weight f32 q5_0 True 27
> output_norm.weight f32 f32 False 0
> output.weight f32 q8_0 False 45
> blk.0.attn_q.weight f32 q5_0 True 28
> blk.0.attn_k.weight f32 q8_0 False 47
> blk.0.attn_v.weight f32 q5_0 True 26
$ quantize q4.gguf --type q8_0 --allow-fallback -o again.gguf
! quantize: q4.gguf: tensor "token_embd.weight": is Q5_0 already: to quantize it again costs accuracy
! hint: --allow-requantize does it
? 4
$ quantize g/stories260K-f32.gguf --type f16 -o f16.gguf && run f16.gguf --prompt "" -n 10
> Once upon a time, there was a little g
$ quantize g/stories260K-f32.gguf --type q4_0 --allow-fallback --tensor-type nothing=q8_0 -o no.gguf; ls no.gguf
! quantize: g/stories260K-f32.gguf: no tensor that is quantized has "nothing" in its name
! ls: cannot access 'no.gguf': No such file or directory
? 2
$ quantize g/stories260K-f32.gguf --type q4_0 -o no.onnx
! quantize: --type q4_0 writes GGUF, not no.onnx
! hint: give -o NAME.gguf
? 2
$ ln -s $EXAMPLES/digits/digits.onnx && quantize digits.onnx --type q4_0 -o no.gguf
! quantize: digits.onnx: --type q4_0 is for GGUF files
! hint: quern model-convert -f gguf writes one of a model that came from GGUF
? 4
$ quantize g/stories260K-f32.gguf --type i8 --pure -o no.onnx
! quantize: --pure, --imatrix, --tensor-type, --allow-fallback and --allow-missing-importance are for types of ggml (--list-types)
? 2

The report as a page: sizes first, then a row for each tensor, the noisiest first.
$ quantize g/stories260K-f32.gguf --type q4_k_m --allow-fallback -q --report r.html -o q4.gguf && python3 -c "
+ import re, xml.dom.minidom
+ page = open('r.html').read(); xml.dom.minidom.parseString(page[page.index('\n') + 1:])
+ text = re.sub('<[^>]*>', ' ', page[page.index('<h1>'):page.index('Where the noise is')]).split(); print(*text[:12])
+ print(page.count('<tr '), page.count('not the type that was asked for'), 'operators quantized' in page, 'What stays float' in page)"
> stories260K-f32.gguf quantized to q4_k_m [...] KB the file, of 1.1 MB before:
> 48 36 False False
