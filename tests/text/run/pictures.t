Pictures are samples: a file, a folder, a list, with steps behind a colon (quern-samples(7)).

$ echo '%y = "onnx.Identity"(%x) : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>' >net.mlir
$ python3 -c "
+ import struct, zlib, base64
+ open('a.ppm', 'wb').write(b'P6 2 2 255\n' + bytes(range(0, 120, 10)))
+ def chunk(name, data): return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
+ def png(w, h, rows): return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')
+ open('b.png', 'wb').write(png(2, 2, bytes([0, 1, 2, 0, 3, 4])))
+ open('huge.png', 'wb').write(png(60000, 2000, bytes(9)))
+ open('deep.png', 'wb').write(png(60000, 60000, bytes(9)))
+ open('short.png', 'wb').write(png(2, 2, bytes([0, 1, 2, 0, 3, 4]))[:50])
+ open('wrong.png', 'wb').write(png(2, 2, bytes([0, 1])))
+ open('c.bmp', 'wb').write(b'BM' + struct.pack('<IIIIiiHHIIiiII', 70, 0, 54, 40, 2, -2, 1, 24, 0, 16, 0, 0, 0, 0) + bytes([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]))
+ open('rle.bmp', 'wb').write(b'BM' + struct.pack('<IIIIiiHHIIiiII', 70, 0, 54, 40, 2, -2, 1, 8, 1, 16, 0, 0, 0, 0) + bytes(16))
+ open('d.jpg', 'wb').write(base64.b64decode('/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AC//Z'))
+ open('cut.jpg', 'wb').write(open('d.jpg', 'rb').read()[:-12])
+ open('head.jpg', 'wb').write(open('d.jpg', 'rb').read()[:40])"
$ cat >show <<'END'
+ f=$(find out -name '*.raw' | sort | xargs cat | od -An -v -tf4 -w48)
+ echo "$f" | tr -s ' '
+ rm -rf out
+ END
$ run net.mlir --input x=a.ppm:range=0/255,layout=nchw,channels=rgb,resize=2x2 -o out && bash show
>  0 30 60 90 10 40 70 100 20 50 80 110

What was not said is taken from the input, and told.

$ run net.mlir --input x=a.ppm -o out -q && bash show
>  0 0.11764706 0.23529412 0.3529412 0.039215688 0.15686275 0.27450982 0.39215687 0.078431375 0.19607843 0.3137255 0.43137255
$ run net.mlir --input x=b.png:range=0/255 -o out && bash show
>  1 2 3 4 1 2 3 4 1 2 3 4
! run: pictures of input "x": layout=nchw,channels=rgb,resize=2x2
$ run net.mlir --input x=c.bmp:range=0/255,resize,mean=1/2/3,std=1/1/0.5,channels=bgr -o out && bash show
>  0 3 6 9 0 3 6 9 0 6 12 18
! run: pictures of input "x": layout=nchw
$ run net.mlir --input x=d.jpg:crop,range=0/255,layout=nchw,channels=rgb -o out && bash show
>  100 100 100 100 100 100 100 100 100 100 100 100

A folder gives its pictures in the order of their names; a list's steps are for all pictures in it that have none of their own.

$ mkdir -p photos/more && cp a.ppm photos/2.ppm && cp b.png photos/1.png && cp c.bmp photos/more/0.bmp && echo hello >photos/readme.txt
$ run net.mlir --input x=photos:range=0/255,layout=nchw,channels=rgb -o out && bash show
>  1 2 3 4 1 2 3 4 1 2 3 4
>  0 30 60 90 10 40 70 100 20 50 80 110
>  3 6 9 12 2 5 8 11 1 4 7 10
! run: photos: left out, not pictures (1): readme.txt
! run: pictures of input "x": resize=2x2
$ printf 'photos/1.png\nphotos/2.ppm:range=0/255,channels=bgr,layout=nchw,resize\n' >list.txt
$ run net.mlir --input-list list.txt:range=0/255,channels=rgb,layout=nchw,resize -o out && bash show
>  1 2 3 4 1 2 3 4 1 2 3 4
>  20 50 80 110 10 40 70 100 0 30 60 90
$ echo '%y = "onnx.Identity"(%x) : (tensor<2x2x2x1xui8>) -> tensor<2x2x2x1xui8>' >batch.mlir
$ run batch.mlir --input x=photos -o out -q && find out -type f | sort && od -An -tu1 out/Result_0/y.raw | tr -s ' '
> out/Result_0/y.raw
> out/Result_1/y.raw
> out/Result_2/y.raw
>  1 2 3 4
$ rm -r out

What does not fit is refused with what would.

$ for steps in resiz=2 crop=a mean=1/2 std=0 range=1 layout=chw method=area fill=300 dtype=u9 resize=3,crop=1x1 crop=0 mean=1,mean=2 pad=1 std=1e-45; do run net.mlir --input x=a.ppm:$steps -q; done
! run: a.ppm:resiz=2: pictures have no step "resiz" (did you mean "resize"?)
! hint: their steps: resize, crop, pad, letterbox, method, fill, range, mean, std, layout, channels, dtype, upright
! run: a.ppm:crop=a: crop=a: need a size: 224, 320x240 (width and height), or none for the model's
! run: a.ppm:mean=1/2: mean=1/2: need one number or three: 0.485/0.456/0.406
! run: a.ppm:std=0: std=0: need one number or three, none of them 0: 0.229/0.224/0.225
! run: a.ppm:range=1: range=1: need the numbers of black and white: 0/1, -1/1, 0/255
! run: a.ppm:layout=chw: layout=chw: need nchw or nhwc
! run: a.ppm:method=area: method=area: need bilinear, bicubic or nearest
! run: a.ppm:fill=300: fill=300: need a number from 0 to 255
! run: a.ppm:dtype=u9: dtype=u9: need f32, u8, i8, i16 or i32
! run: a.ppm: is 2x2, its steps give 1x1, need 2x2
! hint: resize, crop, pad or letterbox without a number give the model's size
! run: a.ppm:crop=0: crop=0: need a size: 224, 320x240 (width and height), or none for the model's
! run: a.ppm:mean=1,mean=2: step mean twice
! run: a.ppm: is 2x2, more than pad=1x1
! run: a.ppm:std=1e-45: range, mean and std give no finite numbers
? 2
$ for file in huge deep short wrong; do run net.mlir --input x=$file.png -q -o out; done
! run: huge.png: 68 bytes cannot hold 60000x2000 pixels: the file is cut short, or its header is wrong
! run: deep.png: a picture of 60000x60000 pixels: at most 65535 a side and 134217728 in all are read
! run: sample 0: short.png: PNG: is cut short at byte 33
! run: sample 0: wrong.png: PNG: Not enough image data
? 3
$ for file in cut head; do run net.mlir --input x=$file.jpg -q -o out; done
! run: cut.jpg: JPEG: Invalid JPEG file structure: missing SOS marker
! run: head.jpg: a picture of 0x0 pixels
? 3
$ run net.mlir --input x=rle.bmp -q
! run: rle.bmp: BMP: compressed (method 1)
? 4
$ run net.mlir --input x=none/:resize=2
! run: none/: No such file or directory
? 5
$ mkdir empty && run net.mlir --input x=empty
! run: empty: is a folder without pictures
? 3
$ run net.mlir --input x=list.txt:resize=2
! run: list.txt: steps are for pictures and WAV files, which it is not
? 3
$ echo '%y = "onnx.Identity"(%x) : (tensor<1x3x?x3xf32>) -> tensor<1x3x?x3xf32>' >open.mlir
$ run open.mlir --input x=a.ppm; run open.mlir --input x=a.ppm:layout=nchw,resize
! run: a.ppm: pictures do not fit input "x" (float32[1,3,?,3]): channels may come first or last
! hint: say layout=nchw or layout=nhwc
! run: a.ppm:layout=nchw,resize: resize needs a size: input "x" is float32[1,3,?,3]
? 2
$ echo '%y = "onnx.Identity"(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>' >flat.mlir
$ run flat.mlir --input x=a.ppm:channels=rgb,resize=2; run batch.mlir --input x=a.ppm:mean=0/0/0; run batch.mlir --input x=a.ppm:mean=3
! run: a.ppm:channels=rgb,resize=2: pictures do not fit input "x" (float32[1,8]): 1 channels where the picture has 3
! run: a.ppm:mean=0/0/0: 3 numbers for mean or std of a gray picture
! run: a.ppm:mean=3: range, mean and std give -3, which uint8 cannot represent
? 2

What is neither, and a name that the model does not have, with the names and types that it has.

$ for input in 'x=a.ppm:u8(1,2,2)' 'a.ppm:u8(1,2,2)' 'x=a.ppm:resize=;' 'y=a.ppm:resize=2' 'y=a.ppm'; do run net.mlir --input "$input"; done
! run: a.ppm:u8(1,2,2): the dims of rows stand in square brackets
! run: a.ppm:u8(1,2,2): the dims of rows stand in square brackets
! run: a.ppm:resize=;: "resize=;" is neither the form of rows (u8[96,96,3]) nor steps (resize=256,crop=224)
! run: the model has no input "y" (did you mean "x"?)
! hint: its inputs: x (float32[1,3,2,2])
! run: the model has no input "y" (did you mean "x"?)
! hint: its inputs: x (float32[1,3,2,2])
? 2
