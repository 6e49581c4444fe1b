// The element types: one row each.
#include <array>

#include "formats/safetensors/dtypes.h"
#include "formats/safetensors/safetensors.h"

namespace quern::safetensors {
namespace {

struct Row {
    std::string_view name;
    DType dtype;
};
constexpr std::array rows{Row{"F64", DType::f64},
                          Row{"F32", DType::f32},
                          Row{"F16", DType::f16},
                          Row{"BF16", DType::bf16},
                          Row{"F8_E4M3", DType::f8e4m3fn},
                          Row{"F8_E5M2", DType::f8e5m2},
                          Row{"F8_E4M3FNUZ", DType::f8e4m3fnuz},
                          Row{"F8_E5M2FNUZ", DType::f8e5m2fnuz},
                          Row{"F8_E8M0", DType::f8e8m0},
                          Row{"F4", DType::f4e2m1},
                          Row{"I64", DType::i64},
                          Row{"I32", DType::i32},
                          Row{"I16", DType::i16},
                          Row{"I8", DType::i8},
                          Row{"U64", DType::u64},
                          Row{"U32", DType::u32},
                          Row{"U16", DType::u16},
                          Row{"U8", DType::u8},
                          Row{"BOOL", DType::boolean},
                          Row{"C64", DType::c64}};

}  // namespace

std::string_view dtype_name(DType dtype) {
    for (const Row& row : rows)
        if (row.dtype == dtype) return row.name;
    return "";
}

DType dtype_named(std::string_view name) {
    for (const Row& row : rows)
        if (row.name == name) return row.dtype;
    return DType::none;
}

}  // namespace quern::safetensors
