Broken files end in one line and leave nothing; a file that is cut off says where.

$ python3 -c "
+ import struct
+ text = lambda t: struct.pack('<Q', len(t)) + t
+ info = lambda name, dims, kind, offset: text(name) + struct.pack('<I%dQIQ' % len(dims), len(dims), *dims, kind, offset)
+ head = lambda tensors, keys, version=3: b'GGUF' + struct.pack('<IQQ', version, tensors, keys)
+ write = lambda name, data: open(name, 'wb').write(data)
+ write('short.gguf', head(1, 0) + info(b'x', [32], 0, 0) + bytes(7))
+ write('count.gguf', head(2 << 30, 0))
+ write('array.gguf', head(0, 1) + text(b'a') + struct.pack('<IIQ', 9, 0, 1 << 63))
+ write('old.gguf', head(0, 0, 1))
+ write('type.gguf', head(1, 0) + info(b'x', [32], 4, 0) + bytes(128))
+ write('adapter.gguf', head(0, 1) + text(b'general.type') + struct.pack('<I', 8) + text(b'adapter'))"
$ model-info short.gguf
! model-info: short.gguf: tensor 0 "x": byte 49: the tensor has 128 bytes at offset 0, the whole file has 64
? 3
$ model-info count.gguf
! model-info: count.gguf: byte 8: the count of tensors is 2147483648, which 8 bytes cannot hold
? 3
$ model-info array.gguf
! model-info: array.gguf: metadata 0 "a": byte 41: the count of elements is 9223372036854775808, which 0 bytes cannot hold
? 3
$ model-info old.gguf
! model-info: old.gguf: byte 4: is of GGUF version 1, versions 2 and 3 are read
? 4
$ model-info type.gguf
! model-info: type.gguf: tensor 0 "x": byte 45: the type is 4 (Q4_2), which was withdrawn from ggml
? 4
$ model-info adapter.gguf
> file        GGUF 3, little-endian, alignment 32, 63 bytes
> parameters  0
> metadata    general.type  string   adapter
$ run adapter.gguf --random 1
! run: adapter.gguf: is an adapter (LoRA), which is part of no graph by itself
! hint: quern model-info shows what is in it
? 4
$ ls
> adapter.gguf
> array.gguf
> count.gguf
> old.gguf
> short.gguf
> type.gguf
