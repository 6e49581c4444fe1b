#include "tools/hdf5/write.h"

#include "libcore/base/text.h"
#include "libcore/graph/tensor.h"
#include "tools/hdf5/handle.h"
#include "tools/hdf5/types.h"

namespace quern::hdf5 {
namespace {

class Words {
   public:
    explicit Words(std::string_view text) : text_(text) {}
    std::string next() {
        const size_t end = text_.find('\0', at_);
        if (end == std::string_view::npos) throw bug("the request is cut short");
        std::string word(text_.substr(at_, end - at_));
        at_ = end + 1;
        return word;
    }
    size_t at() const { return at_; }

   private:
    std::string_view text_;
    size_t at_ = 0;
};

struct Array {
    std::string path;
    DType dtype;
    Dims dims;
};

void write_array(hid_t file, const Array& array, const Bytes& data) {
    const std::vector<hsize_t> size(array.dims.begin(), array.dims.end());
    const Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose, "dims");
    const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "settings"), settings(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "settings");
    check(H5Pset_create_intermediate_group(groups, 1), "settings");
    check(H5Pset_obj_track_times(settings, false), "settings");  // the same bytes whenever they are written
    const Handle set(H5Dcreate2(file, array.path.c_str(), file_type(array.dtype), space, groups, settings, H5P_DEFAULT), H5Dclose,
                     array.path);
    const Handle type = memory_type(array.dtype == DType::boolean ? DType::u8 : array.dtype);
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), array.path);
}

}  // namespace

Bytes image_of(const Bytes& request, uint64_t arrays) {
    Words words(request.text());
    std::vector<Array> all;
    for (uint64_t i = 0; i < arrays; ++i) {
        Array array{words.next(), dtype_named(words.next()).value_or(DType::none), {}};
        for (const std::string& dim : split(words.next(), ',')) array.dims.push_back(parse_int(dim).value_or(0));
        all.push_back(std::move(array));
    }
    words.next();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "settings");
    check(H5Pset_fapl_core(access, 1 << 20, false), "settings");
    // The oldest form, as HDF5 1 has it anyway: every reader knows it, and its groups hold no times.
    check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "settings");
    const Handle file(H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "file");
    size_t at = words.at();
    for (const Array& array : all) {
        const uint64_t bytes = storage_size(array.dtype, static_cast<uint64_t>(count_of(array.dims)));
        write_array(file, array, request.slice(at, bytes));
        at += bytes;
    }
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "file");
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    MutableBytes image(size > 0 ? static_cast<size_t>(size) : 0);
    if (H5Fget_file_image(file, image.data(), image.size()) != size) throw bad_input("file: {}", last_failure());
    return std::move(image).freeze();
}

}  // namespace quern::hdf5
