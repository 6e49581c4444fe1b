Command lines of Qualcomm's quantizers (scripts/qairt, installed as quern-qairt). Samples: four images.
$ cp $EXAMPLES/digits/digits.onnx net.onnx; ln -s $EXAMPLES/../scripts/qairt quern-qairt
+ for i in 0 1 2 3; do python3 -c "import struct; open('s$i.raw', 'wb').write(struct.pack('<64f', *[(k * k * 7 + k // 5 + 3 * $i) % 17 / 16 for k in range(64)]))"; echo s$i.raw; done > list.txt

Without flags what Qualcomm's tools do without flags: min-max, asymmetric, one scale a weight, and the name of the output.
$ ./quern-qairt --dry-run qairt-quantizer --input_dlc net.onnx --input_list list.txt
> quern minmax-collect net.onnx --input-list list.txt -o ranges.json
> quern quantize net.onnx --ranges ranges.json --type i8 --method min-max --set-global i8,act-bits=8,weight-bits=8,act-sym=no,weight-sym=no,per-channel=no,weight-method=min-max --format native -o net_quantized.dlc
$ ./quern-qairt qairt-quantizer --input_dlc net.onnx --input_list list.txt
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! qairt: net_quantized.dlc is no DLC, but in the native format of quern
$ model-info net_quantized.dlc | grep -A2 '^encodings'; ls
> encodings   int32                                3
>             int8                                 9
> metadata[...]
> list.txt
> net.onnx
> net_quantized.dlc
> quern-qairt
> s0.raw
> s1.raw
> s2.raw
> s3.raw

New flags, short ones and "=" among them; what follows -- goes to quantize. CLE measures anew what it scales.
$ ./quern-qairt --dry-run qairt-quantizer -i net.onnx -l list.txt --act_bitwidth=16 --weights_bitwidth 4 --use_per_channel_quantization --use_per_row_quantization --act_quantizer_calibration percentile --percentile_calibration_value 99.9 --param_quantizer_calibration sqnr --param_quantizer_schema symmetric --bias_bitwidth 32 --use_native_input_files --preserve_io_datatype --dump_encoding_json --debug -o q.onnx -- --opset 21
> quern minmax-collect net.onnx --input-list list.txt --native-io -v -o ranges.json
> quern quantize net.onnx --ranges ranges.json --type i8 --method percentile --set-global i8,act-bits=16,weight-bits=4,act-sym=no,weight-sym=yes,per-channel=yes,weight-method=sqnr --percentile 99.9 --set-io none --dump-encodings q_encoding.json --encodings-version 0.6.1 -v --opset 21 -o q.onnx
$ ./quern-qairt qairt-quantizer -i net.onnx -l list.txt --act_bitwidth=16 --weights_bitwidth 4 --use_per_channel_quantization --use_per_row_quantization --param_quantizer_schema symmetric --apply_algorithms cle --dump_encoding_json -o q.onnx && grep '"relu1\|"fc.weight' q_encoding.json | cut -c1-60; tail -2 q_encoding.json
> "relu1":[{"bitwidth":16,"dtype":"int","is_symmetric":"False"
> "fc.weight":[{"bitwidth":4,"dtype":"int","is_symmetric":"Tru
> "quantizer_args":{"activation_bitwidth":16,"dtype":"int","is_symmetric":true,"param_bitwidth":4,"per_channel_quantization":true,"quant_scheme":"post_training_tf"},
> "version":"0.6.1"}
! quantize: algorithm cle: [...] dB on 4 rows, [...] dB without
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Bits of biases and of what stays float are 32 unless they are given.
$ ./quern-qairt --dry-run qairt-quantizer -i net.onnx -l list.txt --bias_bitwidth 8 --float_bitwidth 16 -o q.onnx | grep -o 'bias-bits=8,float-bits=16'; ./quern-qairt qairt-quantizer -i net.onnx -l list.txt --bias_bitwidth 8 -o a.onnx && model-info a.onnx --encodings=2.0.0 | grep -o '"fc.bias".*int[0-9]*'
> bias-bits=8,float-bits=16
> "fc.bias","output_dtype":"int8
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

Old flags. Channels of convolutions and rows of products are asked for one by one.
$ ./quern-qairt --dry-run snpe-dlc-quantize --input_dlc=net.onnx --input_list=list.txt --use_enhanced_quantizer --use_symmetric_quantize_weights --axis_quant --bitwidth 8 --override_params --optimizations cle --output_dlc o.qn
> quern quantize net.onnx --type i8 --method tf-enhanced --set-global i8,act-bits=8,weight-bits=8,act-sym=no,weight-sym=yes,per-channel=yes,weight-method=min-max --set-op-type Gemm=i8,act-bits=8,weight-bits=8,act-sym=no,weight-sym=yes,per-channel=no,weight-method=min-max --set-op-type MatMul=i8,act-bits=8,weight-bits=8,act-sym=no,weight-sym=yes,per-channel=no,weight-method=min-max --allow-unmatched --algorithms cle --input-list list.txt -o o.qn
$ ./quern-qairt snpe-dlc-quantize --input_dlc=net.onnx --input_list=list.txt --use_enhanced_quantizer --use_symmetric_quantize_weights --axis_quant --output_dlc o.qn; model-info o.qn --encodings | grep -o '"enc_type.*weight[a-z_]*"'
> "enc_type":"PER_CHANNEL","is_sym":true,"name":"conv1.weight_bn"
> "enc_type":"PER_CHANNEL","is_sym":true,"name":"conv1.weight_bn_bias"
> "enc_type":"PER_CHANNEL","is_sym":true,"name":"conv2.weight"
> "enc_type":"PER_TENSOR","is_sym":true,"name":"fc.weight"
! quantize: rule op_types."MatMul" matches nothing
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ ./quern-qairt --dry-run qnn-onnx-converter -i net.onnx --input_dim image 2,1,8,8 --act_bw 8 --weight_bw 8 --bias_bw 32 --act_quantizer symmetric --param_quantizer tf --input_list list.txt --output_path "o 1.qn"
> quern minmax-collect net.onnx --shape image=2,1,8,8 --input-list list.txt -o ranges.json
> quern quantize net.onnx --shape image=2,1,8,8 --ranges ranges.json --type i8 --method min-max --set-global i8,act-bits=8,weight-bits=8,act-sym=yes,weight-sym=no,per-channel=no,weight-method=min-max -o o\ 1.qn

Encodings alone, without samples; a converter and a quantizer after each other; a link of a tool's name.
$ ./quern-qairt qairt-quantizer -i net.onnx --input_list list.txt -o a.qn --dump_encoding_json && ./quern-qairt qairt-quantizer -i net.onnx --enable_float_fallback --quantization_overrides a_encoding.json -o b.qn && model-diff --encodings a.qn b.qn
> 12 equal, 0 different, 0 only in the first, 0 only in the second
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
$ ln -s quern-qairt qairt-converter; ./qairt-converter -i net.onnx -s image 1,1,8,8 -o c.dlc; ./quern-qairt qairt-quantizer -i c.dlc -l list.txt --target_backend HTP -o a.qn; model-info a.qn | grep ^inputs
> inputs      image  float32[1,1,8,8]  uint8 scale 0.003921569 zero 0
! qairt: c.dlc is no DLC, but in the native format of quern
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized

What has no counterpart is refused by its name, and no flag is silently without effect.
$ qairt() { ./quern-qairt qairt-quantizer -i net.onnx -o no.qn "$@"; echo $?; }
+ qairt -l list.txt --float_bias_bitwidth 16; qairt -l list.txt --ignore_quantization_overrides; qairt -l list.txt --act_quantizer_schema unsignedsymmetric; qairt -l list.txt --param_quantizer adjusted; qairt -l list.txt --restrict_quantization_steps "-0x80 0x7F"; qairt -l list.txt --apply_algorithms cle bc; qairt -l list.txt --preserve_io_datatype image; qairt -l list.txt --target_backend GPU
> 4
> 4
> 4
> 4
> 4
> 4
> 4
> 4
! qairt: --float_bias_bitwidth 16: float biases have the bits of other floats: --float_bitwidth
! qairt: --ignore_quantization_overrides is not supported: encodings of a model are always kept
! qairt: --act_quantizer_schema unsignedsymmetric: codes that are symmetric here and unsigned there are not chosen value by value
! qairt: --param_quantizer adjusted: it has no successor, in Qualcomm's tools either
! qairt: --restrict_quantization_steps is not supported: symmetric weights always use codes from -127 to 127
! qairt: --apply_algorithms bc: only cle has a counterpart; quern quantize --list-algorithms has others
! qairt: --preserve_io_datatype with names: either all inputs and outputs stay float or none
! qairt: --target_backend GPU: only HTP is a target of quern
$ qairt() { ./quern-qairt qairt-quantizer -i net.onnx -o no.qn "$@"; echo $?; }
+ qairt -l list.txt --act_bitwith 8; qairt -l list.txt --axis_quant; qairt -l list.txt --act_bitwidth 4; qairt -l; qairt; qairt -f -l list.txt; qairt -l list.txt --percentile_calibration_value 99; ./quern-qairt qnn-onnx-converter -i net.onnx --act_bw 8 -o no.qn; echo $?; ./quern-qairt quantizer; echo $?; ls no.qn
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
! qairt: qairt-quantizer has no flag "--act_bitwith"
! qairt: qairt-quantizer has no flag "--axis_quant"
! qairt: --act_bitwidth: "4" is not one of 8 16
! qairt: -l needs 1 argument(s), got 0
! qairt: qairt-quantizer quantizes only with --input_list, or with --enable_float_fallback
! qairt: --enable_float_fallback takes encodings as they are and --input_list measures: give one of both
! qairt: --percentile_calibration_value is for calibration percentile
! qairt: qnn-onnx-converter quantizes only with --input_list, or with --enable_float_fallback
! qairt: "quantizer" is not one of qairt-quantizer, qairt-converter, qnn-onnx-converter (-tflite-, -tensorflow-, -pytorch-), snpe-dlc-quant, snpe-dlc-quantize, qnn-context-binary-generator, qnn-net-run, modelexport
! ls: cannot access 'no.qn': No such file or directory
? 2
$ ./quern-qairt qairt-converter -i net.onnx --float_bitwidth 16 -o no.qn
! qairt: --float_bitwidth 16 without --input_list: quern quantize --type f16 stores weights alone as float16
? 4
$ ./quern-qairt qairt-converter -i net.onnx --float_bitwidth 32 -o float.qn
$ ./quern-qairt qnn-onnx-converter -i net.onnx -o net.cpp
! qairt: net.cpp: no C++ for QNN is written; name a .onnx, .tflite or .qn, and quern codegen makes code of it
? 4
$ ./quern-qairt qairt-quantizer -i gone.onnx -l list.txt -o no.qn
! minmax-collect: gone.onnx: No such file or directory
? 5

From a converter to the runner: contexts are made by QNN's libraries, for the chip that its settings name.
$ cat >net.json <<'END'
+ {"backend_extensions": {"shared_library_path": "libQnnHtpNetRunExtensions.so", "config_file_path": "htp.json"}}
+ END
$ cat >htp.json <<'END'
+ {"graphs": [{"graph_names": ["net"], "vtcm_mb": 8, "O": 3}],
+  "devices": [{"soc_model": 69, "dsp_arch": "v79", "cores": [{"core_id": 0, "perf_profile": "burst"}]}]}
+ END
$ G='qnn-context-binary-generator --model libQnnModelDlc.so --dlc_path q.dlc --backend lib/libQnnHtp.so'
+ ./quern-qairt --dry-run $G --binary_file net --config_file net.json --log_level info; ./quern-qairt --dry-run $G --binary_file net.bin --output_dir o
> quern codegen q.dlc -p qnn-context --option soc=69 --option arch=79 --option vtcm=8 --option optimize=3 -o output/net.bin
> quern codegen q.dlc -p qnn-context --option soc=SM8650 -o o/net.bin
! qairt: for SM8650 (Snapdragon 8 Gen 3): --config_file, or the htp settings that it names, says another
$ N='qnn-net-run --input_list list.txt'
+ ./quern-qairt --dry-run $N --retrieve_context o/net.bin --backend libQnnHtp.so --config_file net.json --output_dir r --use_native_input_files; ./quern-qairt --dry-run $N --dlc_path q.dlc --backend libQnnCpu.so -- --format npz
> quern run o/net.onnx --input-list list.txt -o r --native-io --backend ort:qnn,soc=69,arch=79,vtcm=8,optimize=3
> quern run q.dlc --input-list list.txt -o output --format npz
$ sed 's/"O": 3/"hvx_threads": 4/' htp.json >other.json; sed 's/htp.json/other.json/' net.json >settings.json; qairt() { ./quern-qairt --dry-run "$@"; echo $?; }
+ qairt qnn-context-binary-generator --dlc_path q.dlc --binary_file net --config_file settings.json; qairt qnn-context-binary-generator --dlc_path q.dlc --binary_file net --config_file none.json; qairt qnn-context-binary-generator --dlc_path q.dlc; qairt qnn-context-binary-generator --dlc_path a.dlc,b.dlc --binary_file net; qairt qnn-context-binary-generator --model libnet.so --binary_file net; qairt qnn-net-run --dlc_path q.dlc --input_list list.txt --backend libQnnGpu.so; qairt qnn-net-run --input_list list.txt; ./quern-qairt qnn-net-run --retrieve_context gone.bin --input_list list.txt; echo $?
> 4
> 5
> 2
> 4
> 4
> 4
> 2
> 4
! qairt: ./other.json: key "hvx_threads" has no counterpart
! qairt: none.json: cannot be read
! qairt: qnn-context-binary-generator needs --binary_file, the name of the context
! qairt: --dlc_path a.dlc,b.dlc: one model makes one context
! qairt: --model libnet.so: a library of QNN's is machine code; name the model as --dlc_path, in any format that quern reads
! qairt: --backend libQnnGpu.so: of QNN's libraries libQnnHtp.so has a counterpart, and for qnn-net-run libQnnCpu.so: quern's own kernels
! qairt: qnn-net-run needs a model: --dlc_path, with what qairt-quantizer wrote
! qairt: gone.bin: its inputs and outputs stand in the model gone.onnx, which qnn-context-binary-generator writes beside it and is not there
$ ./quern-qairt qairt-quantizer -i net.onnx -l list.txt --target_backend HTP -o q.dlc && ./quern-qairt qnn-net-run --dlc_path q.dlc --backend libQnnCpu.so --input_list list.txt --output_dir r && ls r
> Result_0
> Result_1
> Result_2
> Result_3
! quantize: coverage: 7 of 7 operators, 100.0 % of the weights (38 of 38 KB as float32) and 100.0 % of the multiply-accumulates are quantized
! qairt: q.dlc is no DLC, but in the native format of quern

One command for all, with chips by their names.
$ ./quern-qairt --dry-run modelexport compile-qnn model.onnx model.dlc; ln -s quern-qairt modelexport; ./modelexport --dry-run
> quern codegen model.onnx -p dlc --option soc=SM8650 -o model.dlc
! qairt: for SM8650 (Snapdragon 8 Gen 3): --device says another
! qairt: modelexport has the command compile-qnn
? 2
$ ./quern-qairt --dry-run modelexport compile-qnn model.onnx model_int8.dlc --quantize --calibration-data calibration_list.txt --act-bitwidth 8 --weights-bitwidth 8
> quern minmax-collect model.onnx --input-list calibration_list.txt -o ranges.json
> quern quantize model.onnx --ranges ranges.json --target htp --type u8i8 -o quantized.qn
> quern codegen quantized.qn -p dlc --option soc=SM8650 -o model_int8.dlc
! qairt: for SM8650 (Snapdragon 8 Gen 3): --device says another
$ ./quern-qairt --dry-run modelexport compile-qnn model.onnx model_ctx.bin --format context-binary --backend HTP --device "Snapdragon 8 Gen 3"
> quern codegen model.onnx -p qnn-context --option soc=Snapdragon\ 8\ Gen\ 3 -o model_ctx.bin
$ ./quern-qairt --dry-run modelexport compile-qnn model.onnx m.dlc --device 57 --quantize --calibration-data l.txt --act-bitwidth 8 --weights-bitwidth 4 --bias-bitwidth 32 --float-bitwidth 16 | grep type
> quern quantize model.onnx --ranges ranges.json --target htp --type u8i8 --weight-bits 4 --float-bits 16 -o quantized.qn
$ qairt() { ./quern-qairt modelexport compile-qnn "$@" --device 57; echo $?; }
+ qairt net.onnx m.dlc --act-bitwidth 8; qairt net.onnx m.dlc --quantize; qairt net.onnx m.qn --format context-binary; qairt net.onnx m.dlc --backend CPU; qairt net.onnx; qairt a b c
> 2
> 2
> 2
> 4
> 2
> 2
! qairt: bit widths and --calibration-data are for --quantize
! qairt: --quantize needs --calibration-data, a list of samples
! qairt: m.qn: a context is NAME.bin, or NAME.onnx with it inside
! qairt: --backend CPU: only HTP is a target of quern
! qairt: modelexport needs a model and an output: modelexport compile-qnn model.onnx model.dlc
! qairt: modelexport takes a model and an output, "c" is one more

What each flag means.
$ ./quern-qairt --list-flags qnn-context-binary-generator | head -4; for tool in qairt-quantizer qairt-converter qnn-onnx-converter snpe-dlc-quant qnn-net-run modelexport; do ./quern-qairt --list-flags $tool compile-qnn | grep -c '^--'; done
> --dlc_path
>     the model, of any format that quern reads, as what qairt-quantizer writes
> --model
>     libQnnModelDlc.so stands for --dlc_path, and other names for the model itself
> [...]
> [...]
> [...]
> [...]
> [...]
> [...]
