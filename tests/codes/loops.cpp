#include "tests/codes/loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "libcore/kernels/code_table.h"
#include "libcore/kernels/codes/decode.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/gates.h"
#include "libcore/kernels/codes/line_loops.h"
#include "libcore/kernels/codes/reals.h"
#include "libcore/kernels/codes/rounding.h"
#include "libcore/ops/shared/norm.h"
#include "tests/codes/differences.h"

namespace code_tests {
namespace {

using namespace quern;
using namespace quern::codes;

// Factors as encodings give them and beyond, also those that put sums on ties; codes of a storage with `range` of them.
FinishParameters drawn_parameters(std::mt19937& random, uint32_t range) {
    FinishParameters parameters;
    parameters.by = static_cast<SumCodes::By>(random() % 3);
    parameters.zero = static_cast<int32_t>(random() % range);
    parameters.high = static_cast<int32_t>(range - 1);
    if (random() % 2) {
        parameters.low = static_cast<int32_t>(random() % (range / 2));
        parameters.high = static_cast<int32_t>(range / 2 + random() % (range / 2));
    }
    const auto real = [&] {
        const double power = std::ldexp(1.0, -static_cast<int>(random() % 34) + 4);
        return random() % 3 == 0 ? power : power * (1.0 + static_cast<double>(random() % 1000) / 1000.0);
    };
    for (int c = 0; c < block_columns; ++c) {
        const FixedFactor fixed = FixedFactor::of(real());
        parameters.floats.push_back(static_cast<float>(real()));
        parameters.doubles.push_back(real());
        parameters.factors.push_back(fixed.factor);
        parameters.shifts.push_back(fixed.shift);
    }
    return parameters;
}

size_t check_finishes() {
    std::mt19937 random(2);
    size_t wrong = 0;
    for (int i = 0; i < 30000; ++i) {
        FinishParameters parameters = drawn_parameters(random, 256);
        std::vector<int32_t> bias(block_columns), sums(max_rows * block_columns);
        for (int32_t& item : bias) item = static_cast<int32_t>(random()) >> random() % 32;
        for (int32_t& item : sums) item = static_cast<int32_t>(random()) >> random() % 32;
        parameters.bias = bias.data();
        const int columns = 1 + static_cast<int>(random() % block_columns);
        const auto run = [&](const Finish& finish) {
            std::vector<uint8_t> bytes(max_rows * 20, 77);
            finish.run(parameters, {sums.data(), 0, max_rows, columns, bytes.data(), 20});
            return bytes;
        };
        for (const Finish* finish : all_finishes()) wrong += differences("codes", finish->name, run(*finish), run(portable_finish));
    }
    return wrong;
}

// Sums in parts, and their codes of 8 or 16 bits.
size_t check_parts() {
    std::mt19937 random(3);
    size_t wrong = 0;
    for (int i = 0; i < 30000; ++i) {
        const int out_parts = 1 + static_cast<int>(random() % 2);
        FinishParameters parameters = drawn_parameters(random, out_parts == 2 ? 65536 : 256);
        parameters.out_parts = out_parts;
        parameters.wide = random() % 2;
        parameters.data_parts = 1 + static_cast<int>(random() % 2);
        parameters.weight_parts = 1 + static_cast<int>(random() % 2);
        constexpr int size = max_rows * block_columns;
        std::vector<int32_t> sums(4 * size);
        for (int32_t& item : sums) item = static_cast<int32_t>(random()) >> random() % 32;
        std::vector<int64_t> bias(block_columns);
        for (int64_t& item : bias)
            item = static_cast<int64_t>(uint64_t{random()} << 32 | random()) >> (random() % 20 ? 14 + random() % 50 : 8);
        parameters.wide_bias = bias.data();
        const int columns = 1 + static_cast<int>(random() % block_columns);
        const auto run = [&](const Finish& finish) {
            std::vector<uint8_t> bytes(2 * max_rows * 20, 77);
            finish.run_parts(parameters, {sums.data(), 0, max_rows, columns, bytes.data(), 20, size, max_rows * 20});
            return bytes;
        };
        for (const Finish* finish : all_finishes())
            wrong += differences("codes of parts", finish->name, run(*finish), run(portable_finish));
    }
    return wrong;
}

// Real numbers of all sizes, those that are none among them.
std::vector<float> drawn_numbers(std::mt19937& random, size_t count) {
    constexpr float ends[] = {
        0.0f, -0.0f, 1e-40f, -3e38f, 3e38f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
    const float size = std::ldexp(1.0f, static_cast<int>(random() % 60) - 30);
    std::vector<float> items(count);
    for (float& item : items) item = random() % 50 == 0 ? ends[random() % 7] : size * (static_cast<float>(random() % 2001) - 1000);
    return items;
}

size_t check_roundings() {
    std::mt19937 random(3);
    size_t wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::vector<float> numbers = drawn_numbers(random, random() % 100);
        const auto zero = static_cast<int32_t>(random() % 256);
        const ByteGrid grid{std::ldexp(1.0f + static_cast<float>(random() % 7) / 7, static_cast<int>(random() % 60) - 30), zero, 0, 255};
        const auto range = [&](const Rounding& rounding) {
            const NumberRange of = rounding.range(numbers.data(), numbers.size());
            return std::array{of.low, of.high};
        };
        const auto codes = [&](const Rounding& rounding) {
            std::vector<uint8_t> bytes(numbers.size() + 1, 77);
            rounding.codes(grid, numbers.data(), numbers.size(), bytes.data());
            return bytes;
        };
        for (const Rounding* rounding : all_roundings()) {
            wrong += differences("range", rounding->name, range(*rounding), range(portable_rounding));
            wrong += differences("rounded codes", rounding->name, codes(*rounding), codes(portable_rounding));
        }
    }
    return wrong;
}

// NaN is NaN.
std::vector<uint32_t> bits_of_all(const std::vector<float>& items) {
    std::vector<uint32_t> bits;
    for (const float item : items) bits.push_back(item == item ? std::bit_cast<uint32_t>(item) : ~0u);
    return bits;
}

size_t check_reals() {
    std::mt19937 random(4);
    size_t wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        constexpr size_t blocks = 2 * block_columns;
        const auto numbers = [&](size_t count) {
            std::vector<int32_t> items(count);
            for (int32_t& item : items) item = static_cast<int32_t>(random()) >> random() % 32;
            return items;
        };
        const auto reals = [&](size_t count) {
            std::vector<float> items(count);
            for (float& item : items) item = std::ldexp(static_cast<float>(random() % 1000) - 300, -static_cast<int>(random() % 20));
            return items;
        };
        const std::vector<int32_t> column_sums = numbers(blocks), sums = numbers(max_rows * block_columns);
        RealsParameters parameters{column_sums.data(), reals(blocks), {}, random() % 2 == 0};
        if (random() % 2) parameters.bias = reals(blocks);
        std::vector<Slice> slices;
        for (const float scale : reals(max_rows)) slices.push_back({scale, static_cast<int32_t>(random() % 256)});
        const int columns = 1 + static_cast<int>(random() % block_columns);
        const int64_t step = random() % 2, place = random() % 2 ? block_columns : 0;
        std::vector<float> out(max_rows * 20, 77.0f), wanted = out;
        make_reals(parameters, {sums.data(), place, max_rows, columns, slices.data(), step, out.data(), 20});
        for (int r = 0; r < max_rows; ++r)
            for (int c = 0; c < columns; ++c) {
                const auto at = static_cast<size_t>(place + c), row = static_cast<size_t>(r);
                const Slice& slice = slices[row * static_cast<size_t>(step)];
                const auto zero = static_cast<uint32_t>(slice.zero) * static_cast<uint32_t>(column_sums[at]);
                const auto sum = static_cast<int32_t>(static_cast<uint32_t>(sums[row * block_columns + static_cast<size_t>(c)]) - zero);
                const float scale = parameters.scales[at], real = static_cast<float>(sum);
                float& y = wanted[row * 20 + static_cast<size_t>(c)];
                y = parameters.column_first ? real * scale * slice.scale : real * (slice.scale * scale);
                if (!parameters.bias.empty()) y += parameters.bias[at];
            }
        wrong += differences("real results", "this machine", out, wanted);
    }
    return wrong;
}

// Blocks of stored weights of any depth, whose scales change at any row.
size_t check_decodings() {
    std::mt19937 random(5);
    size_t wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto below = [&](unsigned limit) { return static_cast<int64_t>(random() % limit); };
        const int64_t depth = 1 + below(100), each = 1 + below(120), rows = 1 + below(7), first = below(static_cast<unsigned>(depth));
        const auto numbers = [&](int64_t count) {
            std::vector<float> items(static_cast<size_t>(count));
            for (float& item : items) item = std::ldexp(static_cast<float>(random() % 1000) - 300, -static_cast<int>(random() % 20));
            return items;
        };
        const std::vector<uint8_t> codes = drawn(random, static_cast<size_t>(depth * stored_columns));
        const std::vector<float> scales = numbers((depth / each + 1) * stored_columns),
                                 zeros = numbers((depth / each + 1) * stored_columns), data = numbers(rows * depth),
                                 start = numbers(rows * stored_columns);
        const StoredBlock block{codes.data(), random() % 2 ? 4 : 8, scales.data(), zeros.data(), each};
        const auto decoded = [&](const Decoding& kind) {
            std::vector<float> to(static_cast<size_t>((depth - first) * stored_columns));
            kind.decode(block, first, depth - first, to.data());
            return to;
        };
        const std::vector<float> weights = decoded(portable_decoding);
        const auto sums = [&](const Decoding& kind, bool one) {
            std::vector<float> to = start;
            if (one)
                kind.add_one(block, depth, data.data(), to.data());
            else
                kind.add(weights.data(), depth - first, data.data(), depth, rows, to.data());
            return to;
        };
        for (const Decoding* kind : all_decodings()) {
            wrong += differences("decoded weights", kind->name, decoded(*kind), weights);
            wrong += differences("sums of decoded weights", kind->name, sums(*kind, false), sums(portable_decoding, false));
            wrong += differences("sums of one row", kind->name, sums(*kind, true), sums(portable_decoding, true));
        }
    }
    return wrong;
}

// Eight lines beside one by one; among them those with numbers that are not finite.
size_t check_lines() {
    size_t wrong = 0;
#if defined(QUERN_VECTORS)
    std::mt19937 random(10);
    for (int i = 0; i < 1000 && has_vectors(); ++i) {
        const size_t length = 1 + random() % 70;
        const float scale = std::ldexp(1.0f, static_cast<int>(random() % 14) - 13);
        std::vector<float> lines(together * length);
        for (float& item : lines) item = scale * (static_cast<float>(random() % 2001) - 1000);
        constexpr float ends[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
        std::vector<float> got = lines, wanted = lines;
        if (i % 4 == 0) got[random() % got.size()] = ends[random() % 3], wanted = got;
        soften_together(got.data(), static_cast<int64_t>(length));
        for (size_t r = 0; r < together; ++r) softmax_line(wanted.data() + r * length, wanted.data() + r * length, 1, length);
        wrong += differences("softmax", "vectors", bits_of_all(got), bits_of_all(wanted));

        Moments moments;
        moments_together(lines.data(), static_cast<int64_t>(length), moments);
        const std::vector<float> factors(length, 1.5f), bias(length, 0.25f);
        std::vector<double> sums(moments.means, moments.means + together), one_by_one;
        sums.insert(sums.end(), moments.variances, moments.variances + together);
        got = wanted = lines;
        for (size_t r = 0; r < together; ++r) one_by_one.push_back(moments_of(std::span<const float>(&lines[r * length], length)).mean);
        for (size_t r = 0; r < together; ++r) {
            one_by_one.push_back(moments_of(std::span<const float>(&lines[r * length], length)).variance);
            const double mean = moments.means[r], inverse = 1 / std::sqrt(moments.variances[r] + 1e-5);
            const size_t count = normalize_vectors(&got[r * length], mean, inverse, factors, bias);
            for (size_t k = r * length; k < r * length + count; ++k)
                wanted[k] = static_cast<float>((wanted[k] - mean) * inverse) * factors[0] + bias[0];
        }
        wrong += differences("moments", "vectors", sums, one_by_one) + differences("normal numbers", "vectors", got, wanted);
    }
#endif
    return wrong;
}

size_t check_tables() {
    std::mt19937 random(8);
    size_t wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::vector<uint8_t> table = drawn(random, 256), codes = drawn(random, random() % 300);
        std::vector<uint8_t> wanted(codes.size() + 1, 77);
        std::transform(codes.begin(), codes.end(), wanted.begin(), [&](uint8_t code) { return table[code]; });
        for (const ByteLookup* kind : all_byte_lookups()) {
            std::vector<uint8_t> got(codes.size() + 1, 77);
            kind->run(table.data(), codes.data(), got.data(), codes.size());
            wrong += differences("codes by a table", kind->name, got, wanted);
        }
    }
    return wrong;
}

// Sums beyond 16 bits and within, which are stored or added.
size_t check_gate_sums() {
    std::mt19937 random(6);
    size_t wrong = 0;
    for (int i = 0; i < 30000; ++i) {
        std::vector<int32_t> bias(block_columns), sums(max_rows * block_columns);
        for (auto* items : {&bias, &sums})
            for (int32_t& item : *items) item = static_cast<int32_t>(random()) >> random() % 32;
        const FinishParameters drawn = drawn_parameters(random, 256);
        const GateParameters parameters{bias.data(), drawn.factors, drawn.shifts};
        std::vector<int16_t> before(max_rows * 20);
        for (int16_t& gate : before) gate = static_cast<int16_t>(random());
        const int columns = 1 + static_cast<int>(random() % block_columns);
        const bool adds = random() % 2;
        const auto run = [&](const Gates& kind) {
            std::vector<int16_t> gates = before;
            kind.sums(parameters, {sums.data(), 0, max_rows, columns, gates.data(), 20, adds});
            return gates;
        };
        for (const Gates* kind : all_gates()) wrong += differences("sums of gates", kind->name, run(*kind), run(portable_gates));
    }
    return wrong;
}

// Every number of 16 bits in each gate, with cells of every scale.
size_t check_cells() {
    std::mt19937 random(7);
    size_t wrong = 0;
    constexpr int32_t count = 65536 + 5;
    for (int32_t power = -15; power <= -9; ++power) {
        const FixedFactor factor = FixedFactor::of(std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, -20 - power));
        const lstm_codes_t sizes{.hidden = count,
                                 .power = power,
                                 .out_factor = factor.factor,
                                 .out_shift = factor.shift,
                                 .out_zero = static_cast<int32_t>(random() % 256) - 128,
                                 .cell_clip = random() % 2 ? static_cast<int32_t>(random() % 32768) : 0};
        std::vector<int16_t> gates(4 * count), cells(count);
        for (auto* items : {&gates, &cells}) {
            const auto step = static_cast<int32_t>(random() | 1), first = static_cast<int32_t>(random());
            for (size_t k = 0; k < items->size(); ++k)
                (*items)[k] = static_cast<int16_t>(static_cast<uint32_t>(k) * static_cast<uint32_t>(step) + static_cast<uint32_t>(first));
        }
        const auto run = [&](const Gates& kind) {
            std::vector<int16_t> made = cells;
            std::vector<int8_t> states(count);
            kind.lstm(gates.data(), sizes, made.data(), states.data());
            made.insert(made.end(), states.begin(), states.end());
            return made;
        };
        for (const Gates* kind : all_gates()) wrong += differences("cells and states", kind->name, run(*kind), run(portable_gates));
    }
    return wrong;
}

}  // namespace

size_t check_loops() {
    return check_dots() + check_finishes() + check_parts() + check_roundings() + check_reals() + check_decodings() + check_gate_sums() +
           check_cells() + check_tables() + check_lines() + check_pairs();
}

}  // namespace code_tests
