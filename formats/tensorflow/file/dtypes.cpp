#include "formats/tensorflow/file/dtypes.h"

#include <array>

#include "libcore/base/error.h"

namespace quern::tensorflow_format {
namespace {

constexpr int64_t reference = 100;  // added to the type of what a variable of TensorFlow 1 refers to
constexpr int64_t resource = 20, variant = 21;

struct Row {
    int64_t code;
    DType dtype;
};
// Codes of quantized tensors are integers.
constexpr std::array rows{
    Row{1, DType::f32},         Row{2, DType::f64},         Row{3, DType::i32},   Row{4, DType::u8},      Row{5, DType::i16},
    Row{6, DType::i8},          Row{7, DType::string},      Row{8, DType::c64},   Row{9, DType::i64},     Row{10, DType::boolean},
    Row{11, DType::i8},         Row{12, DType::u8},         Row{13, DType::i32},  Row{14, DType::bf16},   Row{15, DType::i16},
    Row{16, DType::u16},        Row{17, DType::u16},        Row{18, DType::c128}, Row{19, DType::f16},    Row{resource, DType::none},
    Row{variant, DType::none},  Row{22, DType::u32},        Row{23, DType::u64},  Row{24, DType::f8e5m2}, Row{25, DType::f8e4m3fn},
    Row{26, DType::f8e4m3fnuz}, Row{28, DType::f8e5m2fnuz}, Row{29, DType::i4},   Row{30, DType::u4},     Row{31, DType::i2},
    Row{32, DType::u2},         Row{33, DType::f4e2m1},
};

}  // namespace

DType dtype_of_code(int64_t code) {
    if (code > reference) code -= reference;
    for (const Row& row : rows)
        if (row.code == code) return row.dtype;
    if (code == 27) throw unsupported("element type float8_e4m3b11fnuz");
    throw bad_input("{} is not an element type of TensorFlow", code);
}

bool is_resource(int64_t code) { return code % reference == resource; }

}  // namespace quern::tensorflow_format
