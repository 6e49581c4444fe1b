needs: models
A detector of speech whose LSTM stands in branches that put its weights in order: they are codes, and the file is smaller.
$ net=$MODELS/onnx/silero_vad_16k_op15.onnx; for type in dynamic-i8 wo-i8; do quantize -q $net --type $type -o $type.onnx; echo $(($(stat -c %s $type.onnx) * 100 / $(stat -c %s $net))) percent; done
> 67 percent
> 28 percent
$ quantize $MODELS/onnx/silero_vad_16k_op15.onnx --type dynamic-i8 -v -o q.qn
! quantize: 6 of 7 operators with weights stay float: 42.4 % of the weights (516 of 1217 KB as float32) and 0.0 % of the multiply-accumulates are quantized
!   /model/stft/Conv (Conv): has no weight that this type quantizes; 21.2 % of the weights
!   /model/encoder/0/reparam_conv/Conv (Conv): has no weight that this type quantizes; 15.9 % of the weights
!   /model/encoder/1/reparam_conv/Conv (Conv): has no weight that this type quantizes; 7.9 % of the weights
!   /model/encoder/2/reparam_conv/Conv (Conv): has no weight that this type quantizes; 3.9 % of the weights
!   /model/encoder/3/reparam_conv/Conv (Conv): has no weight that this type quantizes; 7.9 % of the weights
!   /model/decoder/decoder/2/Conv (Conv): has no weight that this type quantizes; 0.0 % of the weights
$ head -c 115200 $MODELS/data/speech/silero_test_16k_i16.bin > speech.bin; python3 -c "import struct; open('rate.raw', 'wb').write(struct.pack('<q', 16000)); open('state.raw', 'wb').write(bytes(1024))"
$ for type in dynamic-i8 wo-i8; do model-diff $MODELS/onnx/silero_vad_16k_op15.onnx $type.onnx --input 'input=speech.bin:i16[576]/32768' --input sr=rate.raw --input state=state.raw --native-io --outputs-only --threshold 20 > diff.txt; echo $?; done
> 0
> 0
