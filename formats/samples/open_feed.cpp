#include "formats/samples/open_feed.h"

#include <algorithm>

#include "formats/hdf5/hdf5.h"
#include "formats/onnx/tensors.h"
#include "formats/samples/hdf5_feed.h"
#include "formats/samples/picture_feed.h"
#include "formats/samples/sound_feed.h"
#include "formats/tensors/map_sample.h"
#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "formats/tensors/rows.h"
#include "formats/tensors/sample_folder.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"
#include "libcore/base/utf.h"

namespace quern {
namespace {

// Item `i` of an array whose elements are `fit.count` items in a row.
Tensor item_of(const Tensor& array, const Fit& fit, uint64_t i) {
    if (fit.count == 1) return {array.dtype, fit.dims, array.data};
    const uint64_t size = array.data.size() / fit.count;
    const Bytes part = array.data.slice(i * size, size);
    return {array.dtype, fit.dims, Bytes::copy(part.data(), part.size())};
}

// ---- headerless ----------------------------------------------------------------------------------------------------

// As many bytes as the input has without a head: then that is what they are, whatever they begin with.
bool is_exact(const Bytes& data, const InputSpec& spec, bool native) {
    const auto dims = spec.type.shape.concrete();
    return dims && storage_size(spec.raw_dtype(native), static_cast<uint64_t>(count_of(*dims))) == data.size();
}

class RawFeed : public Feed {
   public:
    RawFeed(const std::string& path, const InputSpec& spec, bool native) : spec_(spec), dtype_(spec.raw_dtype(native)), native_(native) {
        if (bits_of(dtype_) == 0) throw unsupported("input \"{}\" is {}, which has no headerless form", escape(spec.name), name_of(dtype_));
        file = path;
        const Bytes data = map_sample(path);
        bytes = data.size();
        refuse_other_kinds(data);
        const uint64_t elements = bytes * 8 / static_cast<uint64_t>(bits_of(dtype_));
        const auto fit = storage_size(dtype_, elements) == bytes ? fit_raw(elements, spec.type.shape) : std::nullopt;
        if (!fit) throw misfit();
        fit_ = *fit;
        group = fit_.group;
    }
    Tensor load(uint64_t) const override {
        const Bytes data = map_sample(file);
        if (data.size() != bytes) throw io_error("{}: has changed while it was in use", file);
        const Tensor stored{dtype_, fit_.dims, Bytes::copy(data.data(), data.size())};
        return at_place(file, [&] { return to_logical(stored, spec_, native_); });
    }

   private:
    // Numbers without a head are whatever bytes there are: what begins as another kind of file is that.
    void refuse_other_kinds(const Bytes& data) const {
        if (const std::string kind = file_kind(data.text()); !is_exact(data, spec_, native_) && !kind.empty())
            throw bad_input("{}: is {}", file, kind);
        if (bits_of(dtype_) > 8 && is_number_text(data))
            throw bad_input("{}: is text, need {} numbers as bytes", file, name_of(dtype_))
                .with_hint("numbers separated by commas, one sample per line, are read from a file that ends in .csv");
    }
    Error misfit() const {
        const auto dims = spec_.type.shape.concrete();
        const std::string shape = fmt::format("{}{}", name_of(dtype_), to_string(spec_.type.shape));
        if (!dims)
            return bad_input("{}: got {} bytes, which fit no {} of input \"{}\"", file, bytes, shape, escape(spec_.name))
                .with_hint("an .npy file or rows (FILE:f32[1,3,224,224]) say their shape");
        return bad_input("{}: got {} bytes, need {} ({}) for input \"{}\"", file, bytes,
                         storage_size(dtype_, static_cast<uint64_t>(count_of(*dims))), shape, escape(spec_.name));
    }
    const InputSpec& spec_;
    DType dtype_;
    bool native_;
    Fit fit_;
};

// ---- arrays ---------------------------------------------------------------------------------------------------------

class ArrayFeed : public Feed {
   public:
    ArrayFeed(const std::string& path, const InputSpec& spec, bool native, std::string member)
        : spec_(spec), native_(native), member_(std::move(member)) {
        file = path;
        const Bytes data = map_sample(path);
        bytes = data.size();
        at_place(path, [&] {
            if (is_archive()) rows_ = open_archive(data);
            fit_ = fit_rows(dims_of(data), spec);
            count = fit_.count;
            group = fit_.group;
            if (count == 1) rows_.reset();  // of a long list of files none stays open
        });
    }
    Tensor load(uint64_t item) const override {
        return at_place(file, [&] {
            if (is_archive() && !rows_) return to_logical(open_archive(map_sample(file))->read(0, 1, fit_.dims), spec_, native_);
            if (rows_) return to_logical(rows_->read(item, fit_.count, fit_.dims), spec_, native_);
            return to_logical(item_of(read(map_sample(file)), fit_, item), spec_, native_);
        });
    }

   private:
    Dims dims_of(const Bytes& data) const {
        if (rows_) return rows_->dims();
        return has_suffix(file, ".npy") ? parse_npy_header(data.text()).dims : read(data).dims;
    }
    Tensor read(const Bytes& data) const { return has_suffix(file, ".npy") ? parse_npy(data) : parse_onnx_tensor(data); }
    bool is_archive() const { return !has_suffix(file, ".npy") && !has_suffix(file, ".pb"); }
    std::unique_ptr<NpzRows> open_archive(const Bytes& data) const {
        const Npz npz(data);
        const auto& names = npz.names();
        const std::string wanted = member_.empty() ? spec_.name : member_;
        auto found = std::find(names.begin(), names.end(), wanted);
        if (found == names.end() && member_.empty() && names.size() == 1) found = names.begin();
        if (found == names.end()) throw bad_input("has no array \"{}\"{}", escape(wanted), did_you_mean(wanted, names));
        return std::make_unique<NpzRows>(npz, static_cast<size_t>(found - names.begin()));
    }
    const InputSpec& spec_;
    bool native_;
    std::string member_;
    std::unique_ptr<NpzRows> rows_;  // of an archive
    Fit fit_;
};

// ---- comma-separated numbers: one item a line ---------------------------------------------------------------------------

class CsvFeed : public Feed {
   public:
    CsvFeed(const std::string& path, const InputSpec& spec) : spec_(spec), text_(text_of(path)) {
        file = path;
        bytes = text_.size();
        const std::string_view text = text_.text();
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find('\n', at), text.size());
            if (!trim(text.substr(at, end - at)).empty()) lines_.emplace_back(at, end - at);
            at = end + 1;
        }
        at_place(path, [&] { refuse_other_kind(text_.text()); });
        if (lines_.empty()) throw bad_input("{}: has no numbers", path);
        count = lines_.size();
        group = at_place(path, [&] { return fit_of(0).group; });
    }
    Tensor load(uint64_t item) const override {
        return at_place(fmt::format("{}: row {}", file, item), [&] {
            Tensor row = numbers(item);
            const Fit fit = fit_array(row.dims, spec_.type);
            if (fit.group != group) throw bad_input("{} numbers, other rows have more or fewer", row.count());
            row.dims = fit.dims;
            return to_logical(row, spec_, false);
        });
    }

   private:
    static Bytes text_of(const std::string& path) {
        const Bytes file = map_sample(path);
        return at_place(path, [&] { return as_utf8(file); });
    }
    Tensor numbers(uint64_t item) const {
        std::vector<double> values;
        for (const std::string& cell : split(text_.text().substr(lines_[item].first, lines_[item].second), ',')) {
            const auto value = parse_double(trim(cell));
            if (!value) throw bad_input("\"{}\" is not a number", escape(cell.substr(0, 40)));
            values.push_back(*value);
        }
        return from_doubles(DType::f64, {static_cast<int64_t>(values.size())}, values);
    }
    Fit fit_of(uint64_t item) const {
        Fit fit = fit_array(numbers(item).dims, spec_.type);
        if (fit.count != 1) throw bad_input("a row is {} samples, need one", fit.count);
        return fit;
    }
    const InputSpec& spec_;
    Bytes text_;
    std::vector<std::pair<size_t, size_t>> lines_;  // start, length
};

// ---- rows -----------------------------------------------------------------------------------------------------------

class RowsFeed : public Feed {
   public:
    RowsFeed(RowSpec rows, const std::string& text, const InputSpec& spec, bool native)
        : rows_(std::move(rows)), spec_(spec), native_(native), blob_(map_sample(rows_.path)) {
        file = text;
        bytes = blob_.size();
        const uint64_t row = rows_.row_bytes();
        if (bytes == 0 || bytes % row != 0)
            throw bad_input("{}: got {} bytes, need a multiple of {} (rows of {}{})", rows_.path, bytes, row, name_of(rows_.dtype),
                            to_string(rows_.dims));
        fit_ = at_place(text, [&] { return fit_array(rows_.result_dims(), spec.type); });
        if (fit_.count != 1) throw bad_input("{}: a row is {} samples, need one", text, fit_.count);
        count = bytes / row;
        group = fit_.group;
    }
    Tensor load(uint64_t item) const override {
        return at_place(fmt::format("{}: row {}", rows_.path, item), [&] {
            Tensor row = load_row(rows_, blob_, item);
            row.dims = fit_.dims;
            return to_logical(row, spec_, native_);
        });
    }

   private:
    RowSpec rows_;
    const InputSpec& spec_;
    bool native_;
    Bytes blob_;
    Fit fit_;
};

// Pictures and sound, by content; nullptr: something else.
std::unique_ptr<Feed> open_coded(const std::string& text, const InputSpec& spec, bool native) {
    const auto named = named_steps(text);
    const NamedSteps steps = named.value_or(NamedSteps{text, {}, {}});
    if (is_folder(steps.path))
        return (holds(steps.path, is_picture) || !holds(steps.path, is_sound) ? open_pictures : open_sound)(steps, text, spec, native);
    const Bytes data = map_sample(steps.path);
    if (named || !is_exact(data, spec, native)) {
        if (is_picture(data)) return open_pictures(steps, text, spec, native);
        if (is_sound(data)) return open_sound(steps, text, spec, native);
    }
    if (!named) return nullptr;
    const std::string kind = file_kind(data.text());
    throw bad_input("{}: steps are for pictures and WAV files, which it is not{}", steps.path, kind.empty() ? "" : ": " + kind);
}

// HDF5, by content, or because a dataset is named.
bool names_hdf5(const std::string& text, const InputSpec& spec, bool native) {
    const Hdf5Place place = hdf5_place(text);
    if (is_folder(place.path)) return false;
    const Bytes data = map_sample(place.path);
    if (is_hdf5(data) && (!place.dataset.empty() || !is_exact(data, spec, native))) return true;
    if (place.dataset.empty()) return false;
    const std::string kind = file_kind(data.text());
    throw bad_input("{}: a dataset is of an HDF5 file, which it is not{}", place.path, kind.empty() ? "" : ": it is " + kind);
}

}  // namespace

std::unique_ptr<Feed> open_feed(const std::string& text, const InputSpec& spec, bool native, size_t index, const std::string& member) {
    if (auto rows = parse_rows(text)) return std::make_unique<RowsFeed>(std::move(*rows), text, spec, native);
    if (!named_steps(text) && names_hdf5(text, spec, native)) return open_hdf5(text, spec, native, index);
    if (auto coded = open_coded(text, spec, native)) return coded;
    const bool array = has_suffix(text, ".npy") || has_suffix(text, ".npz") || has_suffix(text, ".pb");
    if (has_suffix(text, ".csv")) return std::make_unique<CsvFeed>(text, spec);
    if (array) return std::make_unique<ArrayFeed>(text, spec, native, member);
    return std::make_unique<RawFeed>(text, spec, native);
}

}  // namespace quern
