"""Real inputs of the public ONNX models: {model: function that gives sample i as {input: array}}. See README.md of the models."""
import numpy as np


class Samples:
    def __init__(self, models):
        self.models = models

    def blob(self, name, dtype, shape):
        return np.fromfile(f"{self.models}/data/{name}", dtype).reshape(shape)

    def photo(self, i, width, height):
        return self.blob(f"images_coral/rgb_u8_{width}x{height}.bin", np.uint8, (-1, height, width, 3))[i % 12].astype(np.float32)

    def planes(self, photo):
        return np.ascontiguousarray(photo.transpose(2, 0, 1))[None]

    def of(self, model, i):
        return getattr(self, model.split(".")[0])(i)

    def mnist_cnn_opset8(self, i):
        return {"Input3": self.blob("mnist/images_u8.bin", np.uint8, (-1, 1, 28, 28))[i][None].astype(np.float32)}

    def magika_v3_3(self, i):
        return {"bytes": self.blob("magika/features_i32.bin", np.int32, (-1, 2048))[i][None]}

    def ultraface_rfb_320(self, i):
        return {"input": self.planes((self.photo(i, 320, 240) - 127) / 128)}

    ultraface_rfb_320_simplified = ultraface_rfb_320

    def fastestdet(self, i):
        return {"input.1": self.planes(self.photo(i, 352, 352)[:, :, ::-1] / np.float32(255))}

    def mobilenet_v2_qdq_int8(self, i):
        mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
        return {"image": self.planes((self.photo(i, 244, 244) / np.float32(255) - mean) / deviation)}

    def mobilenet_edgetpu_qdq_fragment(self, i):
        rng = np.random.default_rng(i)
        return {"MobilenetEdgeTPU/expanded_conv_1/project/BatchNorm/FusedBatchNormV3": rng.standard_normal((1, 32, 56, 56), np.float32) * 10}

    def dtln_1(self, i):
        return {"input_2": self.blob("dtln/mag_f32.bin", np.float32, (-1, 1, 257))[i][None], "input_3": np.zeros((1, 2, 128, 2), np.float32)}

    def dtln_2(self, i):
        audio = self.blob("speech/silero_test_16k_i16.bin", np.int16, -1).astype(np.float32) / 32768
        return {"input_4": audio[16000 + 512 * i:][:512].reshape(1, 1, 512), "input_5": np.zeros((1, 2, 128, 2), np.float32)}

    def silero_vad_16k_op15(self, i):
        audio = self.blob("speech/silero_test_16k_i16.bin", np.int16, -1).astype(np.float32) / 32768
        return {"input": audio[16000 + 512 * i:][:576][None], "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(16000, np.int64)}

    def stories260K_ASSEMBLED(self, i):
        with open(f"{self.models}/data/tinystories/tokens_tok512.csv") as file:
            rows = [line for line in file if line.strip()]
        return {"tokens": np.array([[int(t) for t in rows[i % len(rows)].replace(",", " ").split()]], np.int64)[:, : 64 + i]}

    def bert_toy_RANDOM_WEIGHTS(self, i):
        rng = np.random.default_rng(i)
        ids = rng.integers(0, 16, (1, 12))
        return {"input_ids": ids, "token_type_ids": ids % 2, "input_mask": np.ones((1, 12), np.int64)}
