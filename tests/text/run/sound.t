WAV files are samples: windows of a file, or of those of a folder, as they are or as log-mel spectra (quern-samples(7)).

$ python3 -c "
+ import struct, wave
+ def put(name, values, rate=8000, channels=1):
+     w = wave.open(name, 'wb'); w.setnchannels(channels); w.setsampwidth(2); w.setframerate(rate); w.writeframes(struct.pack('<%dh' % len(values), *values)); w.close()
+ put('a.wav', [1000 * i for i in range(10)])
+ put('two.wav', [100, 300, 200, 400, 0, 0, 7, 9], channels=2)
+ put('fast.wav', [800 * i for i in range(8)], 16000)
+ open('cut.wav', 'wb').write(open('a.wav', 'rb').read()[:30])
+ open('short.wav', 'wb').write(open('a.wav', 'rb').read()[:-6])
+ piped = bytearray(open('a.wav', 'rb').read()); piped[4:8] = b'\xff\xff\xff\xff'; open('piped.wav', 'wb').write(piped)
+ open('head.wav', 'wb').write(open('a.wav', 'rb').read()[:44])"
$ echo '%y = "onnx.Identity"(%x) : (tensor<?x4xi16>) -> tensor<?x4xi16>' >net.mlir
$ cat >show <<'END'
+ for f in $(find out -name '*.raw' | sort); do od -An -v -td2 -w8 $f | tr -s ' '; done
+ rm -rf out
+ END
$ run net.mlir --input x=a.wav -o out && bash show
>  0 1000 2000 3000
>  4000 5000 6000 7000
! run: sound of input "x": rate=8000,window=4
$ run net.mlir --input x=a.wav:rate=8000,window=4,hop=3 -o out && bash show
>  0 1000 2000 3000
>  3000 4000 5000 6000
>  6000 7000 8000 9000
$ run net.mlir --input x=two.wav:mono,rate=8000 -q -o out && bash show
>  200 300 0 8
$ run net.mlir --input x=two.wav:channel=1,rate=8000 -q -o out && bash show
>  300 400 0 9
$ mkdir sounds && cp a.wav sounds/b.wav && cp a.wav sounds/a.wav && echo x > sounds/x.txt
$ run net.mlir --input x=sounds:rate=8000,window=4 -o out && bash show
>  0 1000 2000 3000
>  4000 5000 6000 7000
>  0 1000 2000 3000
>  4000 5000 6000 7000
! run: sounds: left out, not WAV files (1): x.txt
$ printf 'a.wav\nsounds/b.wav:hop=8\n' > list.txt && run net.mlir --input-list list.txt:hop=6 -q -o out && bash show
>  0 1000 2000 3000
>  6000 7000 8000 9000
>  0 1000 2000 3000
$ echo '%y = "onnx.Identity"(%x) : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>' >bands.mlir
$ run bands.mlir --input x=a.wav:mel=2,frame=4,stride=2 -q -o out && bash show | wc -l
> 3

What does not fit is refused.

$ run net.mlir --input x=two.wav
! run: two.wav: has 2 channels, need one
! hint: mono is their mean, channel=0 the first
? 3
$ run net.mlir --input x=fast.wav:rate=20
! run: fast.wav: has 16000 samples a second, which cannot become 20: at most 256 times more or less
? 4
$ run net.mlir --input x=fast.wav:rate=8000 -q -o out && bash show
>  105 1653 3036 5204
$ mkdir mixed && cp a.wav fast.wav mixed && run net.mlir --input x=mixed
! run: mixed/fast.wav: has 16000 samples a second, the first file has 8000
! hint: rate=HZ resamples what has another
? 3
$ for steps in rat=1 rate=0 window=8 mono=1 mono,channel=0 channel=1 scale=1000000 scale=-1 bands=first; do run net.mlir --input x=a.wav:$steps -q -o out; done
! run: a.wav:rat=1: WAV files have no step "rat" (did you mean "rate"?)
! hint: their steps: rate, window, hop, mono, channel, scale, mel, frame, stride, low, high, bands
! run: a.wav:rate=0: rate=0: need a number from 1 to 16777216
! run: a.wav:window=8: a window of 8 samples gives 8, input "x" is int16[?,4]
! run: a.wav:mono=1: mono=1: need no value
! run: a.wav:mono,channel=0: mono and channel are two ways to one channel
! run: a.wav: has 1 channels, no channel 1
! run: sample 0: a.wav: a sample is 61035, which int16 cannot represent
! run: a.wav:scale=-1: scale=-1: need a number, not below 0
! run: a.wav:bands=first: frame, stride, low, high and bands need mel
? 2
$ for steps in mel=3 mel=2,frame=1 mel=2,frame=4,low=5000 mel=2,frame=4,stride=0 mel=2,bands=middle; do run bands.mlir --input x=a.wav:$steps -q -o out; done
! run: a.wav:mel=3: mel=3: input "x" is float32[1,3,2]
! hint: bands=first has the bands before the frames
! run: a.wav:mel=2,frame=1: frame=1: need a number from 2 to 65536
! run: a.wav:mel=2,frame=4,low=5000: bands from 5000 to 4000 Hz: need a range within 0 to 4000
! run: a.wav:mel=2,frame=4,stride=0: stride=0: need a number from 1 to 16777216
! run: a.wav:mel=2,bands=middle: bands=middle: need first or last
? 2
$ for file in cut head short; do run net.mlir --input x=$file.wav; done
! run: cut.wav: WAV: is cut short: got 30 bytes, need 64
! run: head.wav: WAV: is cut short: got 44 bytes, need 64
! run: short.wav: WAV: is cut short: got 58 bytes, need 64
? 3
What was written to a pipe has no length in its head.
$ run net.mlir --input x=piped.wav -q -o out && bash show
>  0 1000 2000 3000
>  4000 5000 6000 7000
