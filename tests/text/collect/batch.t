Rows that fill a model's fixed batch count one by one, and what only fills up the last batch does not count: the ranges are those of a batch of 1.
$ for n in 1 4 7; do printf 'func.func @net(%%x: tensor<%sx2xf32>) -> tensor<%sx2xf32> {\n  %%y = "onnx.Relu"(%%x) {onnx_node_name = "relu"} : (tensor<%sx2xf32>) -> tensor<%sx2xf32>\n  return %%y : tensor<%sx2xf32>\n}\n' $n $n $n $n $n > $n.mlir; done
$ python3 -c "open('s.bin', 'wb').write(bytes((i * i * 7 + i // 5) % 17 for i in range(400)))"
$ for n in 1 4 7; do minmax-collect $n.mlir --input 'x=s.bin:u8[2]-8' --per-channel -o $n.json && sed -i 's/"lineage":.*//' $n.json; done; cmp 1.json 4.json && cmp 1.json 7.json && grep samples 7.json
> "samples":200,
$ for n in 1 4 7; do minmax-collect $n.mlir --input 'x=s.bin:u8[2]-8' --skip-rows 3 --rows 10 -o $n.json && sed -i 's/"lineage":.*//' $n.json; done; cmp 1.json 4.json && cmp 1.json 7.json && grep samples 7.json
> "samples":10,

Scores and results, too.
$ (echo label; for i in $(seq 200); do echo $((i % 2)); done) > labels.csv
$ for n in 1 4 7; do run $n.mlir --input 'x=s.bin:u8[2]-8' --skip-rows 3 --rows 10 --labels labels.csv --json | grep -A3 '"score"' | tr -d '\n '; echo; done | uniq | wc -l
> 1
