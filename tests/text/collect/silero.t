needs: models
A detector of speech with its state from window to window.
$ head -c 115200 $MODELS/data/speech/silero_test_16k_i16.bin > speech.bin; python3 -c "import struct; open('rate.raw', 'wb').write(struct.pack('<q', 16000))"
$ minmax-collect -q $MODELS/onnx/silero_vad_16k_op15.onnx --input 'input=speech.bin:i16[576]/32768' --input sr=rate.raw --native-io --no-histogram --stateful -o state.json
$ python3 -c "import json; v = json.load(open('state.json'))['values']['state']; print(v['count'], v['runs'][0][1][0], v['min'] < -20, v['max'] > 10)"
> 25600 0 True True
