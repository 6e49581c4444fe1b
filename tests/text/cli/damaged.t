A flipped bit in any section of a context is found by the run that would use it.

$ codegen $EXAMPLES/digits/digits.onnx -p context -o net.qctx -q && run net.qctx --random 1 -o good
$ cat >flip.py <<'END'
+ import subprocess
+ good = open('net.qctx', 'rb').read()
+ def sections(data, at):
+     for i in range(int.from_bytes(data[at + 16:at + 20], 'little')):
+         entry = at + 64 + 64 * i
+         kind = data[entry:entry + 8].rstrip(b'\0').decode()
+         begin, size = (int.from_bytes(data[entry + 16 + 8 * k:entry + 24 + 8 * k], 'little') for k in range(2))
+         yield kind, at + begin, size
+ def flip(kind, at):
+     bad = bytearray(good)
+     bad[at] ^= 64
+     open('bad.qctx', 'wb').write(bad)
+     done = subprocess.run(['run', 'bad.qctx', '--random', '1', '--format', 'npz', '-o', 'out.npz'], capture_output=True, text=True)
+     named = kind in done.stderr and 'digest' in done.stderr
+     print(kind, 'found' if done.returncode == 3 and named else f'{done.returncode} {done.stderr}')
+ places = {(kind, k) for kind, at, size in sections(good, 0) if kind != 'blob' for k in (at, at + size // 2, at + size - 1)}
+ for kind, at, size in sections(good, 0):
+     if kind == 'blob':
+         places |= {(inner, k) for inner, begin, length in sections(good, at) for k in (begin, begin + length // 2, begin + length - 1)}
+ for kind, at in sorted(places):
+     flip(kind, at)
+ END
$ python3 flip.py | sort | uniq -c | sed 's/^ *//'
> 3 arrays found
> 3 graph found
> 3 info found
> 3 plan found
> 3 values found
$ ls out.npz
! ls: cannot access 'out.npz': No such file or directory
? 2
