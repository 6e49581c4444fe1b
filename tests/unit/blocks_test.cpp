// Laws of all block formats; tests/peers/blocks.py compares them with others.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "libcore/blocks/families.h"
#include "libcore/ops/integer/ggml_blocks.h"

using namespace quern;

namespace {

using Raw = std::vector<std::byte>;
using Numbers = std::vector<float>;

// Vectors have exactly the bytes that functions may read and write: AddressSanitizer finds others.
Numbers decoded(const BlockFormat& f, const Raw& blocks) {
    Numbers out(blocks.size() / f.bytes * static_cast<size_t>(f.elements));
    f.decode(blocks.data(), blocks.size() / f.bytes, out.data());
    return out;
}

Raw encoded(const BlockFormat& f, const Numbers& numbers, const Numbers& importance = {}) {
    const size_t count = numbers.size() / static_cast<size_t>(f.elements);
    Raw out(count * f.bytes);
    f.encode(numbers.data(), count, importance.empty() ? nullptr : importance.data(), out.data());
    return out;
}

Numbers by_codes(const BlockFormat& f, const Raw& blocks) {
    const auto elements = static_cast<size_t>(f.elements), sub = static_cast<size_t>(f.sub_block);
    Numbers out;
    std::vector<int8_t> codes(elements);
    Numbers scales(elements / sub), mins(f.has_min ? elements / sub : 0);
    for (size_t at = 0; at < blocks.size(); at += f.bytes) {
        const Raw block(blocks.begin() + static_cast<ptrdiff_t>(at), blocks.begin() + static_cast<ptrdiff_t>(at + f.bytes));
        f.unpack(block.data(), codes.data(), scales.data(), mins.data());
        for (size_t i = 0; i < elements; ++i) {
            const int lowest = f.code_signed ? -(1 << (f.code_bits - 1)) : 0, highest = lowest + (1 << f.code_bits) - 1;
            if (codes[i] < lowest || codes[i] > highest) BOOST_ERROR(f.name << " has code " << int{codes[i]});
            const float product = static_cast<float>(codes[i]) * scales[i / sub];
            out.push_back(f.has_min ? product + mins[i / sub] : product);
        }
    }
    return out;
}

bool same_bits(const Numbers& a, const Numbers& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
    return true;
}

Raw random_blocks(const BlockFormat& f, size_t count, std::mt19937& random) {
    Raw out(count * f.bytes);
    for (auto& b : out) b = static_cast<std::byte>(random());
    return out;
}

Numbers normal(size_t count, std::mt19937& random, float size = 1) {
    std::normal_distribution<float> draw(0, size);
    Numbers out(count);
    for (auto& x : out) x = draw(random);
    return out;
}

Numbers weights(size_t count, std::mt19937& random) {
    Numbers out = normal(count, random);
    for (auto& w : out) w = w * w;
    return out;
}

double error(const Numbers& x, const Numbers& y, const Numbers& weight = {}) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double w = weight.empty() ? 1 : weight[i], difference = static_cast<double>(x[i]) - y[i];
        sum += w * difference * difference;
        all += w * x[i] * x[i];
    }
    return std::sqrt(sum / all);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blocks_of_ggml)

BOOST_AUTO_TEST_CASE(packing_undoes_unpacking) {
    std::mt19937 random(3);
    std::set<std::string_view> packing;
    for (const BlockFormat& f : block_formats()) {
        if (!f.pack) continue;
        packing.insert(f.name);
        BOOST_TEST_INFO_SCOPE(f.name);
        const auto parts = static_cast<size_t>(f.elements / f.sub_block);
        for (int i = 0; i < 1000; ++i) {
            const Raw block = random_blocks(f, 1, random);
            std::vector<int8_t> codes(static_cast<size_t>(f.elements));
            Numbers scales(parts), mins(parts);
            f.unpack(block.data(), codes.data(), scales.data(), mins.data());
            if (!std::isfinite(scales[0]) || !std::isfinite(mins[0])) continue;
            Raw again(f.bytes);
            BOOST_TEST(f.pack(codes.data(), scales.data(), mins.data(), again.data()));
            BOOST_TEST((again == block));
            scales[0] = 0.1f;  // no half
            BOOST_TEST(!f.pack(codes.data(), scales.data(), mins.data(), again.data()));
        }
    }
    BOOST_TEST((packing == std::set<std::string_view>{"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl", "tq2_0"}));
}

BOOST_AUTO_TEST_CASE(rows_have_names_and_numbers_of_their_own) {
    std::set<std::string_view> names;
    std::set<uint32_t> numbers;
    for (const BlockFormat& f : block_formats()) {
        BOOST_TEST(names.insert(f.name).second);
        BOOST_TEST(numbers.insert(f.ggml_type).second);
        BOOST_TEST(block_format_named(f.name) == &f);
        BOOST_TEST(block_format_of_ggml(f.ggml_type) == &f);
        BOOST_TEST((f.decode != nullptr));
        BOOST_TEST((f.unpack != nullptr) == f.quantized());
    }
    BOOST_TEST(names.size() == 33u);
    BOOST_TEST(ggml_name(*block_format_named("iq2_xxs")) == "IQ2_XXS");
    BOOST_TEST(!block_format_named("q4_2"));
}

BOOST_AUTO_TEST_CASE(codes_and_scales_are_what_blocks_decode_to) {
    std::mt19937 random(1);
    for (const BlockFormat& f : block_formats())
        if (f.unpack) {
            const Raw blocks = random_blocks(f, 500, random);  // NaN, infinite and subnormal scales are among them
            BOOST_TEST(same_bits(decoded(f, blocks), by_codes(f, blocks)), f.name);
        }
}

BOOST_AUTO_TEST_CASE(scales_that_are_no_numbers) {
    for (const BlockFormat& f : block_formats())
        for (const auto byte : {std::byte{0}, std::byte{0x7c}, std::byte{0x7e}, std::byte{0xfc}, std::byte{0xff}, std::byte{1}}) {
            const Raw blocks(3 * f.bytes, byte);
            const Numbers numbers = decoded(f, blocks);
            BOOST_TEST(numbers.size() == 3u * static_cast<size_t>(f.elements));
            if (byte == std::byte{0})
                for (const float x : numbers) BOOST_TEST(std::abs(x) < 0x1p-120f, f.name);  // mxfp4 has no zero scale
        }
}

BOOST_AUTO_TEST_CASE(both_instruction_sets_give_the_same) {
    std::mt19937 random(2);
    const auto base = blocks::all_formats(false);
    BOOST_REQUIRE(base.size() == block_formats().size());
    for (size_t i = 0; i < base.size(); ++i) {
        const BlockFormat &plain = base[i], &wide = block_formats()[i];
        const auto elements = static_cast<size_t>(plain.elements);
        const Raw blocks = random_blocks(plain, 200, random);
        BOOST_TEST(same_bits(decoded(plain, blocks), decoded(wide, blocks)), plain.name);
        if (!plain.encode) continue;
        for (const size_t count : {1, 2, 7, 8, 9, 21}) {  // a last group of lanes that is not full
            const Numbers x = normal(count * elements, random, 0.03f), w = weights(count * elements, random);
            BOOST_TEST((encoded(plain, x) == encoded(wide, x)), plain.name << " " << count);
            BOOST_TEST((encoded(plain, x, w) == encoded(wide, x, w)), plain.name << " " << count << " with importance");
        }
    }
}

// Relative errors of normally distributed numbers, as measured, and a little above.
BOOST_AUTO_TEST_CASE(encoding_loses_what_the_format_cannot_hold) {
    const std::map<std::string_view, double> bounds{
        {"f32", 0},       {"f16", 0.0003}, {"bf16", 0.002}, {"q4_0", 0.095}, {"q4_1", 0.08}, {"q5_0", 0.05}, {"q5_1", 0.04},
        {"q8_0", 0.0065}, {"q2_k", 0.31},  {"q3_k", 0.17},  {"q4_k", 0.08},  {"q5_k", 0.04}, {"q6_k", 0.02}, {"iq4_nl", 0.08},
        {"iq4_xs", 0.08}, {"mxfp4", 0.13}, {"nvfp4", 0.11}, {"tq1_0", 0.9},  {"tq2_0", 0.9}, {"q1_0", 0.62}, {"q2_0", 0.8}};
    std::mt19937 random(3);
    const Numbers x = normal(256 * 64, random, 0.02f);
    size_t written = 0;
    for (const BlockFormat& f : block_formats())
        if (f.encode) {
            ++written;
            const double found = error(x, decoded(f, encoded(f, x)));
            BOOST_TEST(found <= bounds.at(f.name), f.name << " " << found);
            BOOST_TEST(found >= bounds.at(f.name) * 0.6, f.name << " " << found);
        }
    BOOST_TEST(written == bounds.size());
}

BOOST_AUTO_TEST_CASE(encoding_what_was_decoded_changes_nothing) {
    std::mt19937 random(4);
    const Numbers x = normal(256 * 16, random, 0.7f);
    for (const auto* name : {"f32", "f16", "bf16", "q4_0", "q5_0", "q8_0", "mxfp4", "tq1_0", "tq2_0", "q1_0", "q2_0"}) {
        const BlockFormat& f = *block_format_named(name);
        const Raw once = encoded(f, x);
        BOOST_TEST((encoded(f, decoded(f, once)) == once), name);
    }
}

BOOST_AUTO_TEST_CASE(importance_lowers_the_weighted_error) {
    std::mt19937 random(5);
    const Numbers x = normal(256 * 32, random, 0.02f), w = weights(256 * 32, random);
    for (const auto* name : {"q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "iq4_nl", "iq4_xs"}) {
        const BlockFormat& f = *block_format_named(name);
        const double with = error(x, decoded(f, encoded(f, x, w)), w), without = error(x, decoded(f, encoded(f, x)), w);
        BOOST_TEST(with < without, name << " " << with << " " << without);
    }
    for (const auto* name : {"q8_0", "mxfp4", "tq1_0", "tq2_0", "nvfp4", "q1_0", "q2_0", "f16"}) {  // these do not weigh
        const BlockFormat& f = *block_format_named(name);
        BOOST_TEST((encoded(f, x, w) == encoded(f, x)), name);
    }
}

BOOST_AUTO_TEST_CASE(rows_are_encoded_block_by_block) {
    std::mt19937 random(6);
    for (const BlockFormat& f : block_formats())
        if (f.encode) {
            const auto elements = static_cast<size_t>(f.elements);
            const Numbers x = normal(elements * 11, random);
            Raw joined;
            for (size_t b = 0; b < 11; ++b) {
                const Raw block =
                    encoded(f, {x.begin() + static_cast<ptrdiff_t>(b * elements), x.begin() + static_cast<ptrdiff_t>((b + 1) * elements)});
                joined.insert(joined.end(), block.begin(), block.end());
            }
            BOOST_TEST((joined == encoded(f, x)), f.name);
        }
}

BOOST_AUTO_TEST_CASE(numbers_at_the_edges_are_encoded) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::mt19937 random(7);
    const auto base = blocks::all_formats(false);
    for (const float edge : {0.0f, -0.0f, inf, -inf, nan, 3.4e38f, -3.4e38f, 1e-45f, -1e-40f, 1e-38f, 65504.0f, 7e-8f})
        for (const bool all : {true, false})
            for (size_t i = 0; i < base.size(); ++i) {
                const BlockFormat& f = block_formats()[i];
                if (!f.encode) continue;
                Numbers x = normal(static_cast<size_t>(f.elements) * 3, random);
                for (size_t k = 0; k < x.size(); k += all ? 1 : 37) x[k] = edge;
                const Numbers none(x.size(), 0.0f);
                BOOST_TEST((encoded(f, x) == encoded(base[i], x)), f.name << " " << edge);
                BOOST_TEST((encoded(f, x, none) == encoded(base[i], x, none)), f.name << " " << edge << " without weight");
                if (all && edge == 0)
                    for (const float y : decoded(f, encoded(f, x))) BOOST_TEST(std::abs(y) < 0x1p-120f, f.name);
            }
}

// Blocks whose bytes were worked out by hand.
BOOST_AUTO_TEST_CASE(known_blocks) {
    Numbers x(32, 0.0f);
    x[0] = -8;
    x[1] = 7;
    x[17] = 3;
    const Raw four = encoded(*block_format_named("q4_0"), x);  // scale 1; nibbles are code + 8
    BOOST_TEST(std::to_integer<int>(four[1]) == 0x3c);
    BOOST_TEST(std::to_integer<int>(four[2]) == 0x80);
    BOOST_TEST(std::to_integer<int>(four[3]) == 0xbf);
    x[0] = 127;
    x[2] = -0.5f;
    const Raw eight = encoded(*block_format_named("q8_0"), x);
    BOOST_TEST(std::to_integer<int>(eight[1]) == 0x3c);
    BOOST_TEST(std::to_integer<int>(eight[2]) == 127);
    BOOST_TEST(std::to_integer<int>(eight[4]) == 255);  // halves are rounded away from zero
    Raw six(210, std::byte{0});
    six[0] = std::byte{0x21};    // elements 0 and 64: 1 and 2
    six[128] = std::byte{0x20};  // the upper bits of element 64 are 2
    six[192] = std::byte{3};     // scales of the first and the fifth part
    six[196] = std::byte{0xff};
    six[209] = std::byte{0x3c};
    const Numbers numbers = decoded(*block_format_named("q6_k"), six);
    BOOST_TEST(numbers[0] == 3 * (1 - 32));
    BOOST_TEST(numbers[64] == -1 * (2 + 32 - 32));
    BOOST_TEST(numbers[16] == 0);
}

// What profile ggml makes of activations are the codes and scales of blocks of Q8_0, whose bytes tests/peers/blocks.py compares with
// others.
BOOST_AUTO_TEST_CASE(activations_are_rounded_to_q8_0) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (int i = 0; i < 200; ++i) {
        Numbers x(32);
        for (float& item : x) item = std::ldexp(draw(random), i % 40 - 20);
        if (i % 7 == 0) x.assign(32, 0.0f);
        if (i % 5 == 0) x[3] = x[0] / 2;
        const Raw block = encoded(*block_format_named("q8_0"), x);
        const ggml::RoundedRow row = ggml::rounded_row(x, ggml::Rounding::q8_0);
        BOOST_TEST(std::memcmp(row.codes.data(), block.data() + 2, 32) == 0, "block " << i);
        Numbers scale(1);
        std::vector<int8_t> codes(32);
        block_format_named("q8_0")->unpack(block.data(), codes.data(), scale.data(), nullptr);
        BOOST_TEST(row.scales == scale, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()
