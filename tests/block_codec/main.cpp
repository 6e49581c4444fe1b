// The functions of block formats, for tests/peers/blocks.py: standard input to standard output, float32 and raw blocks.
//
//   block_codec list                                                  name, number in GGUF, elements, bytes, functions
//   block_codec decode|unpack|encode FORMAT ROW [--base] [IMPORTANCE]   rows of ROW elements; unpack: code * scale (+ min)
//   block_codec time FORMAT ROW [IMPORTANCE]                          seconds of one processor for 352 million elements like those of
//   standard input
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "libcore/blocks/families.h"

namespace {

using quern::BlockFormat;

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

std::vector<float> floats_of(const std::string& text) {
    std::vector<float> numbers(text.size() / sizeof(float));
    std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(float));
    return numbers;
}

template <class T>
void write(const std::vector<T>& numbers) {
    std::cout.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(T)));
}

struct Job {
    const BlockFormat& format;
    size_t row;  // blocks
    std::vector<float> importance;

    size_t elements() const { return static_cast<size_t>(format.elements); }
    std::vector<float> decoded(const std::string& blocks) const {
        const size_t count = blocks.size() / format.bytes;
        std::vector<float> numbers(count * elements());
        format.decode(reinterpret_cast<const std::byte*>(blocks.data()), count, numbers.data());
        return numbers;
    }
    std::vector<float> unpacked(const std::string& blocks) const {
        const size_t count = blocks.size() / format.bytes, sub = static_cast<size_t>(format.sub_block), parts = elements() / sub;
        std::vector<float> numbers, scales(parts), mins(parts);
        std::vector<int8_t> codes(elements());
        for (size_t b = 0; b < count; ++b) {
            format.unpack(reinterpret_cast<const std::byte*>(blocks.data()) + b * format.bytes, codes.data(), scales.data(), mins.data());
            for (size_t i = 0; i < codes.size(); ++i) {
                const float product = static_cast<float>(codes[i]) * scales[i / sub];
                numbers.push_back(format.has_min ? product + mins[i / sub] : product);
            }
        }
        return numbers;
    }
    std::vector<std::byte> encoded(const std::vector<float>& numbers) const {
        const size_t blocks = numbers.size() / elements();
        std::vector<std::byte> out(blocks * format.bytes);
        for (size_t b = 0; b + row <= blocks; b += row)
            format.encode(numbers.data() + b * elements(), row, importance.empty() ? nullptr : importance.data(),
                          out.data() + b * format.bytes);
        return out;
    }
    void time(const std::vector<float>& numbers) const {
        const std::clock_t start = std::clock();
        size_t done = 0;
        do {
            encoded(numbers);
            done += numbers.size();
        } while (std::clock() - start < CLOCKS_PER_SEC / 2);
        fmt::print("{:.2f}\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(done) * 352e6);
    }
};

int list() {
    for (const BlockFormat& f : quern::block_formats())
        fmt::print("{} {} {} {}{}{}\n", f.name, f.ggml_type, f.elements, f.bytes, f.unpack ? " unpack" : "", f.encode ? " encode" : "");
    return 0;
}

int run(const std::string& verb, const std::string& name, const std::string& row, const std::vector<std::string>& rest) {
    const bool base = !rest.empty() && rest.front() == "--base";
    const auto formats =
        base ? quern::blocks::all_formats(false) : std::vector(quern::block_formats().begin(), quern::block_formats().end());
    const auto found = std::find_if(formats.begin(), formats.end(), [&](const BlockFormat& f) { return f.name == name; });
    if (found == formats.end()) {
        fmt::print(stderr, "block_codec: no format {}\n", name);
        return 2;
    }
    Job job{*found, std::stoul(row) / static_cast<size_t>(found->elements), {}};
    if (rest.size() > (base ? 1 : 0)) {
        std::ifstream file(rest.back(), std::ios::binary);
        job.importance = floats_of(read_all(file));
    }
    const std::string input = read_all(std::cin);
    if (verb == "decode") write(job.decoded(input));
    if (verb == "unpack") write(job.unpacked(input));
    if (verb == "encode") write(job.encoded(floats_of(input)));
    if (verb == "time") job.time(floats_of(input));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 1 && words[0] == "list") return list();
    if (words.size() >= 3) return run(words[0], words[1], words[2], {words.begin() + 3, words.end()});
    fmt::print(stderr, "usage: block_codec list | block_codec decode|unpack|encode|time FORMAT ROW [--base] [IMPORTANCE]\n");
    return 2;
}
