#include "tools/hdf5/types.h"

#include <array>

namespace quern::hdf5 {
namespace {

// IEEE's half precision, which libhdf5 has no name for.
hid_t half_type() {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
}

hid_t plain_type(DType dtype) {
    switch (dtype) {
        case DType::f16: return half_type();
        case DType::f32: return H5Tcopy(H5T_IEEE_F32LE);
        case DType::f64: return H5Tcopy(H5T_IEEE_F64LE);
        case DType::i8: return H5Tcopy(H5T_STD_I8LE);
        case DType::i16: return H5Tcopy(H5T_STD_I16LE);
        case DType::i32: return H5Tcopy(H5T_STD_I32LE);
        case DType::i64: return H5Tcopy(H5T_STD_I64LE);
        case DType::u8: return H5Tcopy(H5T_STD_U8LE);
        case DType::u16: return H5Tcopy(H5T_STD_U16LE);
        case DType::u32: return H5Tcopy(H5T_STD_U32LE);
        case DType::u64: return H5Tcopy(H5T_STD_U64LE);
        default: return -1;
    }
}

constexpr std::array plain{DType::f16, DType::f32, DType::f64, DType::i8,  DType::i16, DType::i32,
                           DType::i64, DType::u8,  DType::u16, DType::u32, DType::u64};

DType plain_dtype(hid_t type) {
    const Handle little(H5Tcopy(type), H5Tclose, "type");
    if (H5Tget_order(little) != H5T_ORDER_LE && H5Tset_order(little, H5T_ORDER_LE) < 0) return DType::none;
    for (const DType dtype : plain)
        if (H5Tequal(little, Handle(plain_type(dtype), H5Tclose, "type")) > 0) return dtype;
    return DType::none;
}

// h5py's truth values: an enumeration of bytes, FALSE and TRUE.
bool is_truth(hid_t type) {
    if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
    signed char no = -1, yes = -1;
    return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 && yes == 1;
}

std::string_view class_name(H5T_class_t kind) {
    switch (kind) {
        case H5T_INTEGER: return "integers of an odd form";
        case H5T_FLOAT: return "floats of an odd form";
        case H5T_STRING: return "strings";
        case H5T_BITFIELD: return "bit fields";
        case H5T_OPAQUE: return "opaque bytes";
        case H5T_COMPOUND: return "records (as complex numbers are)";
        case H5T_REFERENCE: return "references";
        case H5T_ENUM: return "an enumeration";
        case H5T_VLEN: return "lists of different lengths";
        case H5T_ARRAY: return "arrays";
        default: return "an unknown type";
    }
}

}  // namespace

DType dtype_of(hid_t type, std::string& refusal) {
    const H5T_class_t kind = H5Tget_class(type);
    DType dtype = DType::none;
    if (kind == H5T_INTEGER || kind == H5T_FLOAT) dtype = plain_dtype(type);
    if (kind == H5T_ENUM && is_truth(type)) dtype = DType::boolean;
    if (dtype == DType::none) refusal = fmt::format("elements are {}, need float16 to 64, integers or booleans", class_name(kind));
    return dtype;
}

Handle memory_type(DType dtype) {
    if (dtype != DType::boolean) return {plain_type(dtype), H5Tclose, "type"};
    Handle truth(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "type");
    signed char value = 0;
    check(H5Tenum_insert(truth, "FALSE", &value), "type");
    value = 1;
    check(H5Tenum_insert(truth, "TRUE", &value), "type");
    return truth;
}

Handle file_type(DType dtype) {
    const hid_t type = plain_type(dtype == DType::boolean ? DType::u8 : dtype);
    if (type < 0) throw unsupported("{} has no form in an HDF5 file", name_of(dtype));
    H5Tset_order(type, H5T_ORDER_BE);
    return {type, H5Tclose, "type"};
}

}  // namespace quern::hdf5
