#include "tools/hdf5/read.h"

#include <algorithm>
#include <set>

#include "formats/hdf5/protocol.h"
#include "tools/hdf5/types.h"

namespace quern::hdf5 {
namespace {

// ---- what may be read ---------------------------------------------------------------------------------------------

// Filters of libhdf5 itself; others would be plugins, and there are none.
std::string odd_filter(hid_t settings) {
    const int count = H5Pget_nfilters(settings);
    for (int i = 0; i < count; ++i) {
        unsigned flags = 0, how = 0;
        size_t values = 0;
        char name[64] = "";
        const H5Z_filter_t filter = H5Pget_filter2(settings, static_cast<unsigned>(i), &flags, &values, nullptr, sizeof name, name, &how);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            return fmt::format("is packed by filter {} ({}), need gzip, shuffle or fletcher32", filter, name);
    }
    return "";
}

std::string odd_layout(hid_t settings) {
    const H5D_layout_t layout = H5Pget_layout(settings);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(settings) != 0) return "its numbers are in other files, which are not read";
    if (layout != H5D_CHUNKED) return "";
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(settings, H5S_MAX_RANK, dims);
    constexpr hsize_t max = hsize_t{1} << 28;
    hsize_t elements = 1;
    for (int i = 0; i < rank; ++i) {
        if (dims[i] == 0 || elements > max / dims[i]) return fmt::format("its chunks have more than {} elements", max);
        elements *= dims[i];
    }
    return odd_filter(settings);
}

// Packed numbers are at most 1,032 to one; a little may be there by its filling alone.
std::string odd_size(const Dataset& dataset, uint64_t stored, uint64_t file_bytes) {
    constexpr uint64_t ratio = 1032, little = 1 << 16;
    uint64_t bytes = storage_size(dataset.dtype, 1);
    for (const int64_t dim : dataset.dims)
        if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) return "its dims are too large";
    const uint64_t there = std::min(stored, file_bytes);
    if (bytes > little && bytes / ratio > there) return fmt::format("claims {} bytes, {} are in the file", bytes, there);
    return "";
}

Dataset describe(hid_t file, const std::string& path, uint64_t file_bytes) {
    Dataset dataset{path, DType::none, {}, ""};
    const Handle set(H5Dopen2(file, ("/" + path).c_str(), H5P_DEFAULT), H5Dclose, "dataset");
    const Handle space(H5Dget_space(set), H5Sclose, "dims");
    const Handle type(H5Dget_type(set), H5Tclose, "type");
    const Handle settings(H5Dget_create_plist(set), H5Pclose, "settings");
    dataset.dtype = dtype_of(type, dataset.refusal);
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, nullptr);
    if (rank < 0) throw bad_input("dims: {}", last_failure());
    for (int i = 0; i < rank; ++i) dataset.dims.push_back(dims[i] > INT64_MAX ? -1 : static_cast<int64_t>(dims[i]));
    if (H5Sget_simple_extent_type(space) == H5S_NULL) dataset.refusal = "is empty";
    if (dataset.refusal.empty()) dataset.refusal = odd_layout(settings);
    if (dataset.refusal.empty()) dataset.refusal = odd_size(dataset, H5Dget_storage_size(set), file_bytes);
    return dataset;
}

// ---- the tree -----------------------------------------------------------------------------------------------------

struct Names {
    std::vector<std::string> hard;
    size_t left = 0;
};

std::vector<std::string> names_in(hid_t group, size_t max) {
    Names names{{}, max};
    const auto take = [](hid_t, const char* name, const H5L_info_t* link, void* out) -> herr_t {
        auto& all = *static_cast<Names*>(out);
        if (all.left == 0) return 1;
        --all.left;
        if (link->type == H5L_TYPE_HARD) all.hard.emplace_back(name);
        return 0;
    };
    hsize_t at = 0;
    const herr_t state = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, take, &names);
    if (state < 0) throw bad_input("group: {}", last_failure());
    if (state > 0) throw bad_input("has more than {} objects", max_datasets);
    return names.hard;
}

class Tree {
   public:
    Tree(hid_t file, uint64_t file_bytes) : file_(file), file_bytes_(file_bytes) { enter("", 0); }
    std::vector<Dataset> datasets;

   private:
    static constexpr size_t deepest = 32;
    // `path`: "" or ends in a slash.
    void enter(const std::string& path, size_t depth) {
        const Handle group(H5Gopen2(file_, ("/" + path).c_str(), H5P_DEFAULT), H5Gclose, "group");
        H5O_info_t info;
        check(H5Oget_info(group, &info), "group");
        if (!seen_.insert(info.addr).second) return;  // a circle, or a second name
        if (depth > deepest) throw bad_input("has groups inside of one another more than {} deep", deepest);
        const std::vector<std::string> names = names_in(group, max_datasets - std::min<size_t>(max_datasets, objects_));
        objects_ += names.size();
        for (const std::string& name : names) visit(group, path + name, name, depth);
    }
    // What cannot even be looked at is listed with the reason.
    void visit(hid_t group, const std::string& path, const std::string& name, size_t depth) {
        text_ += path.size() + 256;
        if (text_ > max_text) throw bad_input("names of datasets take more than {} bytes", max_text);
        try {
            const H5I_type_t kind = H5Iget_type(Handle(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, "object"));
            if (kind == H5I_GROUP) enter(path + "/", depth + 1);
            if (kind == H5I_DATASET) datasets.push_back(describe(file_, path, file_bytes_));
        } catch (const Error& error) {
            datasets.push_back({path, DType::none, {}, error.message()});
        }
    }

    hid_t file_;
    uint64_t file_bytes_;
    std::set<haddr_t> seen_;
    size_t objects_ = 0;
    uint64_t text_ = 0;
};

}  // namespace

Handle open_file(const std::string& path) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "settings");
#if H5_VERSION_GE(1, 10, 7)
    check(H5Pset_file_locking(access, false, true), "settings");
#endif
    return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "file"};
}

std::vector<Dataset> datasets_of(hid_t file, uint64_t file_bytes) { return std::move(Tree(file, file_bytes).datasets); }

Bytes rows_of(hid_t file, const std::string& path, uint64_t first, uint64_t count) {
    const Dataset dataset = describe(file, path, UINT64_MAX);
    if (!dataset.refusal.empty()) throw bad_input("{}", dataset.refusal);
    const Handle set(H5Dopen2(file, ("/" + path).c_str(), H5P_DEFAULT), H5Dclose, "dataset");
    const Handle space(H5Dget_space(set), H5Sclose, "dims");
    std::vector<hsize_t> start(dataset.dims.size(), 0), size(dataset.dims.begin(), dataset.dims.end());
    if (!size.empty()) {
        if (first > size[0] || count > size[0] - first) throw bad_input("rows {} to {} of {}", first, first + count, size[0]);
        start[0] = first;
        size[0] = count;
        check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr), "rows");
    }
    const Handle part(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose, "rows");
    const Dims dims(size.begin(), size.end());
    MutableBytes out(storage_size(dataset.dtype, static_cast<uint64_t>(count_of(dims))));
    check(H5Dread(set, memory_type(dataset.dtype), part, space, H5P_DEFAULT, out.data()), "numbers");
    if (dataset.dtype == DType::boolean)
        for (size_t i = 0; i < out.size(); ++i)
            if (std::to_integer<int>(out.data()[i]) > 1) throw bad_input("element {} is neither FALSE nor TRUE", i);
    return std::move(out).freeze();
}

}  // namespace quern::hdf5
