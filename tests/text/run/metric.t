The metric of a task: a command reads all outputs, whatever else is done with them.
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(1024)))"; cp $EXAMPLES/digits/digits.onnx d.onnx
$ cat > m.sh <<'END'
+ echo "$QUERN_MODEL ${QUERN_FLOAT_OUTPUTS-none} $QUERN_FIRST_ROW" >&2
+ ls "$QUERN_OUTPUTS" >&2
+ cmp "$QUERN_OUTPUTS/Result_2/scores.npy" out/Result_2/scores.npy && echo 0.25
+ END
$ run d.onnx --input 'image=s.bin:u8[1,8,8]/16' --skip-rows 4 --rows 3 -o out --format npy --metric 'sh m.sh' | grep metric
> metric   0.25
! run: --metric: "sh m.sh": d.onnx none 4
! run: --metric: "sh m.sh": Result_0
! run: --metric: "sh m.sh": Result_1
! run: --metric: "sh m.sh": Result_2
$ run -q d.onnx --input 'image=s.bin:u8[1,8,8]/16' --skip-rows 4 --rows 3 --metric 'sh m.sh' --json 2> said | grep metric
>   "metric": 0.25,
$ run d.onnx --random 1 --metric 'exit 7'
! run: --metric: "exit 7" ended with exit code 7
? 4
$ run d.onnx --random 1 --metric cosine
! run: --metric cosine compares two models: see check
? 2
$ run d.onnx --random 1 --metric top-5
! run: --metric top-5 is for check: --labels alone shows it here
? 2
