needs: models
MobileNetV2 on an Ethos-U55 of 256 KB: what its first layers need is more than that, and yet all but the mean runs on the NPU.

$ cat > board.json <<'END_TARGET'
+ {"kind": "target", "version": 1, "name": "board", "extends": "ethos-u55-256", "decides": "place", "basis": "estimate",
+  "memories": [{"name": "sram", "bytes": 262144}], "devices": [{"name": "ethos-u", "stripes": ["rows"]}]}
+ END_TARGET
$ place $MODELS/onnx/mobilenet_v2_qdq_int8.onnx --target ./board.json --report r.txt --save-placement s.json -q; grep -A2 ^device r.txt; grep -A1 ^why r.txt; grep -c 'in [0-9]* stripes' r.txt
> device         nodes  partitions       compute largest arena       weights
> cpu                1           1     421.00 us       81.2 KB           0 B
> ethos-u           99          24      22.02 ms      253.6 KB        3.4 MB
> why nodes are on cpu
>   421.00 us (0.8 % of a run, 0.0 % of MACs) ethos-u: reduces depth of a volume is yes, need no
> 16
$ sed -i 's/"rows"//' board.json; place $MODELS/onnx/mobilenet_v2_qdq_int8.onnx --target ./board.json --report r.txt --save-placement s.json -q; grep -A1 ^why r.txt
> why nodes are on cpu
>   680.39 ms (98.2 % of a run, 29.8 % of MACs) ethos-u: memory: does not fit by itself (needs 639.6 KB of 256.0 KB of sram, ...)
