A model and what quantization made of it.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"
+ model-convert $EXAMPLES/digits/digits.onnx -o d.qn && minmax-collect d.qn --input 'image=s.bin:u8[1,8,8]/16' --embed | quantize - --method min-max -o q.qn
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --threshold 10 | sed 's/.*  //'
> value
> image
> relu1
> pool1
> relu2: 30.31 dB at channel 23, 38.41 dB over all
> flat
> scores (output)
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --threshold 90 --outputs-only
>   SQNR dB     cosine    max error    max |ref|  value
> [...] scores (output)
> first below 90 dB: scores ([...])
? 1
$ model-diff d.qn q.qn --input 'image=s.bin:u8[1,8,8]/16' --second-mode float --threshold 90 --json > diff.json; echo $?; python3 -c "
+ import json; d = json.load(open('diff.json')); print(sorted(d), d['samples'])"
> 1
> ['first_below', 'only_first', 'only_second', 'samples', 'values'] 16
$ model-diff d.qn
! model-diff: SECOND is required
? 2
$ model-diff d.qn q.qn
! model-diff: no samples
! hint: give --input-list, --input or --random
? 2
$ model-diff d.qn q.qn --first-mode integer --random 1
! model-diff: --first-mode: unknown "integer"
! hint: one of auto, float, fake, int
? 2
