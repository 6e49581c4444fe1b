#include "formats/tensorflow/file/slice_spec.h"

#include <charconv>
#include <cstring>

#include "formats/tensorflow/file/bundle.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

int64_t number_of(std::string_view text, const std::string& spec) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) throw bad_input("a variable is the part \"{}\"", escape(spec));
    return number;
}

}  // namespace

Tensor part_of(const Tensor& whole, const std::string& spec) {
    std::vector<std::string> words = split(spec, ' ');
    if (words.empty()) throw bad_input("a variable is the part \"{}\"", escape(spec));
    const std::vector<std::string> parts = split(words.back(), ':');
    words.pop_back();
    Dims said;
    for (const std::string& word : words) said.push_back(number_of(word, spec));
    if (said != whole.dims) throw bad_input("a variable is a part of {}, the checkpoint has {}", to_string(said), to_string(whole.dims));
    std::vector<Extent> slice;
    for (const std::string& part : parts) {
        const size_t comma = part.find(',');
        if (part == "-")
            slice.push_back({});
        else if (comma == std::string::npos)
            throw bad_input("a variable is the part \"{}\"", escape(spec));
        else
            slice.push_back({number_of(part.substr(0, comma), spec), number_of(part.substr(comma + 1), spec)});
    }
    slice = within(slice, whole.dims);
    Dims dims;
    for (const Extent& extent : slice) dims.push_back(extent.length);
    const auto width = static_cast<size_t>(bits_of(whole.dtype) / 8);
    const size_t run = width * static_cast<size_t>(dims.empty() ? 1 : dims.back());
    MutableBytes bytes(storage_size(whole.dtype, static_cast<uint64_t>(count_of(dims))));
    for_each_row(whole.dims, slice, [&](int64_t at, int64_t row) {
        std::memcpy(bytes.data() + static_cast<size_t>(row) * run, whole.data.data() + static_cast<size_t>(at) * width, run);
    });
    return {whole.dtype, dims, std::move(bytes).freeze()};
}

}  // namespace quern::tensorflow_format
