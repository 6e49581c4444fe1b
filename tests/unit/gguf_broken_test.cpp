// Broken GGUF files: refused in one line that names field and byte, with the right exit code.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>

#include "formats/gguf/gguf.h"
#include "tests/unit/gguf_files.h"

using namespace quern;
using namespace quern::test;

BOOST_AUTO_TEST_SUITE(gguf_broken)

namespace {

struct Broken {
    std::string_view what;
    std::function<GgufFile()> make;
    std::string_view said;
};

GgufFile file(uint64_t tensors, uint64_t keys, uint32_t version = 3) { return GgufFile().header(tensors, keys, version); }
GgufFile raw(std::string bytes) { return {std::move(bytes)}; }

constexpr uint64_t huge = uint64_t{1} << 63, all_ones = ~uint64_t{0};

const std::vector<Broken> frames{
    {"nothing", [] { return raw(""); }, "3: byte 0: need the magic"},
    {"other magic", [] { return raw("GGML00000000"); }, "3: byte 0: need the magic"},
    {"magic cut off", [] { return raw("GGU"); }, "3: byte 0: need the magic"},
    {"no version", [] { return raw("GGUF\3"); }, "3: byte 4: the version is cut off"},
    {"version 0", [] { return file(0, 0, 0); }, "3: byte 4: the version is 0, need 2 or 3"},
    {"version 1", [] { return file(0, 0, 1); }, "4: byte 4: is of GGUF version 1, versions 2 and 3 are read"},
    {"version 4", [] { return file(0, 0, 4); }, "4: byte 4: is of GGUF version 4"},
    {"big-endian version 4", [] { return file(0, 0, 0x04000000); }, "4: byte 4: is of GGUF version 4"},
    {"no counts", [] { return raw(std::string("GGUF\3\0\0\0", 8)); }, "3: byte 8: the count of tensors is cut off"},
    {"no second count", [] { return raw(file(0, 0).bytes.substr(0, 20)); }, "3: byte 16: the count of metadata is cut off"},
    {"negative tensor count", [] { return file(all_ones, 0); }, "3: byte 8: the count of tensors is 18446744073709551615, which 8 bytes"},
    {"2 G tensors", [] { return file(uint64_t{2} << 30, 0); }, "3: byte 8: the count of tensors is 2147483648, which 8 bytes cannot"},
    {"negative key count", [] { return file(0, all_ones); }, "3: byte 16: the count of metadata is 18446744073709551615, which 0 bytes"},
    {"2 G keys", [] { return file(0, uint64_t{2} << 30).data(100); }, "3: byte 16: the count of metadata is 2147483648, which 100 bytes"},
    {"too many tensors", [] { return file(200'000, 0).data(200'000 * 25 + 100); },
     "3: byte 8: the count of tensors is 200000, at most 131072"},
    {"too many keys", [] { return file(0, 100'000).data(100'000 * 14 + 100); },
     "3: byte 16: the count of metadata is 100000, at most 65536"},
};

const std::vector<Broken> metadata{
    {"key length", [] { return file(0, 1).number(all_ones).data(50); }, "3: metadata 0: byte 24: the key has 18446744073709551615 bytes"},
    {"key longer than the file", [] { return file(0, 1).number(uint64_t{60'000}).data(50); },
     "3: metadata 0: byte 32: the key has 60000 bytes, 50 are left"},
    {"empty key", [] { return file(0, 1).key("", 1); }, "3: metadata 0: byte 24: the key is empty"},
    {"key of other characters", [] { return file(0, 1).key("a\nb", 1); }, "3: metadata 0: byte 24: the key \"a\\nb\" has other characters"},
    {"key that is not ASCII", [] { return file(0, 1).key("\xc3\xa4", 1); }, "3: metadata 0: byte 24: the key"},
    {"value type", [] { return file(0, 1).key("ab", static_cast<ValueType>(13)).data(8); },
     "3: metadata 0 \"ab\": byte 34: the type of the value is 13, need 0 to 12"},
    {"no value", [] { return file(0, 1).key("ab", ValueType::u64).data(4); },
     "3: metadata 0 \"ab\": byte 38: the value has 8 bytes, 4 are"},
    {"key twice", [] { return file(0, 2).key("a", 1).key("a", 2); }, "3: metadata 1 \"a\": byte 41: the key is there already"},
    {"bool of 2", [] { return file(0, 1).key("a", ValueType::boolean).number(uint8_t{2}); }, "3: metadata 0 \"a\": byte 37: a bool is 2"},
    {"bool of 2 in an array", [] { return file(0, 1).array("a", ValueType::boolean, 3).number(uint8_t{1}).data(2); },
     "3: metadata 0 \"a\": byte 50: a bool is 17"},
    {"text length", [] { return file(0, 1).key("a", ValueType::string).number(huge).data(9); },
     "3: metadata 0 \"a\": byte 37: a string has 9223372036854775808 bytes, at most 67108864"},
    {"text longer than the file", [] { return file(0, 1).key("a", ValueType::string).number(uint64_t{10}).data(9); },
     "3: metadata 0 \"a\": byte 45: a string has 10 bytes, 9 are left"},
    {"array of 2^63", [] { return file(0, 1).array("a", ValueType::u8, huge); },
     "3: metadata 0 \"a\": byte 41: the count of elements is 9223372036854775808, which 0 bytes cannot hold"},
    {"array of 2^63 strings", [] { return file(0, 1).array("a", ValueType::string, huge).data(99); },
     "3: metadata 0 \"a\": byte 41: the count of elements is 9223372036854775808, which 99 bytes cannot hold"},
    {"array whose bytes wrap", [] { return file(0, 1).array("a", ValueType::u64, (uint64_t{1} << 61) + 1).data(99); },
     "3: metadata 0 \"a\": byte 41: the count of elements is 2305843009213693953, which 99"},
    {"array of arrays", [] { return file(0, 1).array("a", ValueType::array, 1).number(uint32_t{0}).data(50); },
     "3: metadata 0 \"a\": byte 37: is an array of arrays"},
    {"array of an unknown type", [] { return file(0, 1).array("a", static_cast<ValueType>(99), 1).data(50); },
     "3: metadata 0 \"a\": byte 37: the type of the elements is 99"},
    {"string of an array too long", [] { return file(0, 1).array("a", ValueType::string, 2).text("x").number(uint64_t{7}).data(3); },
     "3: metadata 0 \"a\": byte 66: a string has 7 bytes, 3 are left"},
    {"alignment 0", [] { return file(0, 1).key("general.alignment", 0); }, "3: metadata \"general.alignment\" is 0, need a power of two"},
    {"alignment 4", [] { return file(0, 1).key("general.alignment", 4); }, "3: metadata \"general.alignment\" is 4, need a power of two"},
    {"alignment 48", [] { return file(0, 1).key("general.alignment", 48); },
     "3: metadata \"general.alignment\" is 48, need a power of two"},
    {"alignment of 2 MiB", [] { return file(0, 1).key("general.alignment", 2 << 20); }, "3: metadata \"general.alignment\" is 2097152"},
    {"alignment of another type", [] { return file(0, 1).key("general.alignment", ValueType::u64).number(uint64_t{32}); },
     "3: metadata \"general.alignment\" is uint64, need uint32"},
};

const std::vector<Broken> tensors{
    {"cut off before", [] { return file(1, 0).data(25).tensor("", {}); }, "3: tensor 0: byte 24: the name has"},
    {"name of 64 bytes", [] { return file(1, 0).tensor(std::string(64, 'x'), {32}).pad().data(128); },
     "3: tensor 0: byte 24: the name has 64 bytes, at most 63 are read"},
    {"empty name", [] { return file(1, 0).tensor("", {32}).pad().data(128); }, "3: tensor 0: byte 24: the name is empty"},
    {"name that is not UTF-8", [] { return file(1, 0).tensor("\xff", {32}).pad().data(128); },
     "3: tensor 0: byte 24: the name \"\\xff\" is"},
    {"name twice", [] { return file(2, 0).tensor("x", {8}).tensor("x", {8}, 0, 32).pad().data(64); },
     "3: tensor 1 \"x\": byte 57: the name is there already"},
    {"5 dims",
     [] {
         return file(1, 0).tensor("x", {1, 1, 1, 1, 1}).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 33: the number of dims is 5, at most 4"},
    {"2^32 dims", [] { return file(1, 0).text("x").number(~uint32_t{0}).data(64); },
     "3: tensor 0 \"x\": byte 33: the number of dims is 429"},
    {"negative dim",
     [] {
         return file(1, 0).tensor("x", {32, all_ones}).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 45: dim 1 is -1, need 1 or more"},
    {"dim of 0", [] { return file(1, 0).tensor("x", {0}).pad().data(128); }, "3: tensor 0 \"x\": byte 37: dim 0 is 0, need 1 or more"},
    {"2^63 elements",
     [] {
         return file(1, 0).tensor("x", {uint64_t{1} << 32, uint64_t{1} << 31}).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 33: the elements are more than 2^63"},
    {"elements that wrap to few",
     [] {
         return file(1, 0).tensor("x", {uint64_t{1} << 32, uint64_t{1} << 32, 4}).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 33: the elements are more than 2^63"},
    {"bytes that wrap", [] { return file(1, 0).tensor("x", {uint64_t{1} << 62}).pad().data(128); },
     "3: tensor 0 \"x\": byte 33: the tensor has more than 2^63 bytes"},
    {"unknown type", [] { return file(1, 0).tensor("x", {32}, 99).pad().data(128); }, "3: tensor 0 \"x\": byte 45: the type 99 is unknown"},
    {"type -1", [] { return file(1, 0).tensor("x", {32}, ~uint32_t{0}).pad().data(128); }, "3: tensor 0 \"x\": byte 45: the type 42949672"},
    {"withdrawn type", [] { return file(1, 0).tensor("x", {32}, 4).pad().data(128); },
     "4: tensor 0 \"x\": byte 45: the type is 4 (Q4_2), which was withdrawn"},
    {"repacked type", [] { return file(1, 0).tensor("x", {32}, 33).pad().data(128); },
     "4: tensor 0 \"x\": byte 45: the type is 33 (Q4_0_8_8)"},
    {"type of activations", [] { return file(1, 0).tensor("x", {256}, 15).pad().data(292); },
     "4: tensor 0 \"x\": byte 45: the type is 15 (Q8_K), which exists only"},
    {"partial block", [] { return file(1, 0).tensor("x", {33}, 8).pad().data(128); },
     "3: tensor 0 \"x\": byte 33: rows of 33 elements are not whole blocks of 32, as type Q8_0 needs"},
    {"blocks across rows",
     [] {
         return file(1, 0).tensor("x", {16, 2}, 8).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 33: rows of 16"},
    {"offset between multiples", [] { return file(1, 0).tensor("x", {8}, 0, 8).pad().data(128); },
     "3: tensor 0 \"x\": byte 49: the offset is 8, need 0"},
    {"offset of 2^64 - 32", [] { return file(1, 0).tensor("x", {8}, 0, all_ones - 31).pad().data(128); },
     "3: tensor 0 \"x\": byte 49: the offset is 18446744073709551584, need 0"},
    {"overlap", [] { return file(2, 0).tensor("x", {16}).tensor("y", {8}, 0, 32).pad().data(128); },
     "3: tensor 1 \"y\": byte 82: the offset is 32, need 64: behind the tensor before it, at a multiple of 32"},
    {"gap", [] { return file(2, 0).tensor("x", {8}).tensor("y", {8}, 0, 64).pad().data(128); },
     "3: tensor 1 \"y\": byte 82: the offset is 64"},
    {"offsets of another alignment",
     [] { return file(2, 1).key("general.alignment", 64).tensor("x", {8}).tensor("y", {8}, 0, 32).pad(64).data(128); },
     "3: tensor 1 \"y\": byte 115: the offset is 32, need 64: behind the tensor before it, at a multiple of 64"},
    {"tensor larger than the file",
     [] {
         return file(1, 0).tensor("x", {1 << 20, 1 << 20}).pad().data(128);
     },
     "3: tensor 0 \"x\": byte 57: the tensor has 4398046511104 bytes at offset 0, the whole file has 224"},
    {"data cut off", [] { return file(1, 0).tensor("x", {32}).pad().data(127); },
     "3: tensor \"x\": byte 49: its data are bytes 64 to 192, the file ends at 191"},
    {"sum that wraps",
     [] { return file(2, 0).tensor("x", {uint64_t{1} << 60}).tensor("y", {uint64_t{1} << 60}, 0, uint64_t{1} << 62).pad(); },
     "3: tensor 0 \"x\": byte 49: the tensor has 4611686018427387904 bytes"},
    {"infos cut off", [] { return file(1, 0).text("x").number(uint32_t{1}).number(uint64_t{32}).number(uint32_t{0}).data(7); },
     "3: tensor 0 \"x\": byte 49: the offset is cut off"},
};

GgufFile vocabulary(uint64_t keys) { return file(0, keys + 1).array("tokenizer.ggml.tokens", ValueType::string, 2).text("a").text("b"); }

const std::vector<Broken> tokenizers{
    {"tokens are numbers", [] { return file(0, 1).array("tokenizer.ggml.tokens", ValueType::u8, 2).data(2); },
     "3: metadata \"tokenizer.ggml.tokens\" is array of uint8, need array of string"},
    {"tokens are one string", [] { return file(0, 1).key("tokenizer.ggml.tokens", "a"); },
     "3: metadata \"tokenizer.ggml.tokens\" is string, need array of string"},
    {"scores are integers", [] { return vocabulary(1).array("tokenizer.ggml.scores", ValueType::i32, 2).data(8); },
     "3: metadata \"tokenizer.ggml.scores\" is array of int32, need array of float32"},
    {"too few scores", [] { return vocabulary(1).array("tokenizer.ggml.scores", ValueType::f32, 1).data(4); },
     "3: metadata \"tokenizer.ggml.scores\" has 1 elements, need one for each of the 2 tokens"},
    {"too many types", [] { return vocabulary(1).array("tokenizer.ggml.token_type", ValueType::i32, 3).data(12); },
     "3: metadata \"tokenizer.ggml.token_type\" has 3 elements, need one for each of the 2 tokens"},
    {"types are floats", [] { return vocabulary(1).array("tokenizer.ggml.token_type", ValueType::f32, 2).data(8); },
     "3: metadata \"tokenizer.ggml.token_type\" is array of float32, need array of int32"},
    {"merges are numbers", [] { return vocabulary(1).array("tokenizer.ggml.merges", ValueType::u32, 1).data(4); },
     "3: metadata \"tokenizer.ggml.merges\" is array of uint32, need array of string"},
    {"id outside", [] { return vocabulary(1).key("tokenizer.ggml.eos_token_id", 2); },
     "3: metadata \"tokenizer.ggml.eos_token_id\" is 2, the vocabulary has 2 tokens"},
    {"id that is text", [] { return vocabulary(1).key("tokenizer.ggml.bos_token_id", "a"); },
     "3: metadata \"tokenizer.ggml.bos_token_id\" is string, need integers"},
    {"flag that is text", [] { return vocabulary(1).key("tokenizer.ggml.add_bos_token", "true"); },
     "3: metadata \"tokenizer.ggml.add_bos_token\" is string, need a bool"},
    {"suppressed ids outside", [] { return vocabulary(1).array("tokenizer.ggml.suppress_tokens", ValueType::i32, 1).number(-2); },
     "3: metadata \"tokenizer.ggml.suppress_tokens\" is -2, the vocabulary has 2 tokens"},
    {"template that is a number", [] { return file(0, 1).key("tokenizer.chat_template", 1); },
     "3: metadata \"tokenizer.chat_template\" is uint32, need a string"},
};

void check(const std::vector<Broken>& rows) {
    for (const Broken& row : rows) {
        const std::string said = refusal([&] { row.make().open(); });
        BOOST_TEST(said.starts_with(row.said), row.what << ": \"" << said << "\" is not \"" << row.said << "\"");
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(header) { check(frames); }
BOOST_AUTO_TEST_CASE(keys_and_values) { check(metadata); }
BOOST_AUTO_TEST_CASE(tensor_infos) { check(tensors); }
BOOST_AUTO_TEST_CASE(tokenizer_keys) { check(tokenizers); }

// The same in the other byte order: only the version's place tells.
BOOST_AUTO_TEST_CASE(big_endian) {
    GgufFile twice{.big_endian = true};
    twice.header(0, 2).key("a", 1).key("a", 2);
    BOOST_TEST(refusal([&] { twice.open(); }) == "3: metadata 1 \"a\": byte 41: the key is there already");
}

// A whole file, cut off after each of its bytes.
BOOST_AUTO_TEST_CASE(every_short_one) {
    GgufFile whole = file(2, 3).key("general.alignment", 8).key("name", "abc").array("list", ValueType::string, 2).text("x").text("yz");
    whole.tensor("t", {32, 2}, 8).tensor("u", {3, 2, 2}, 0, 72).pad(8).data(72 + 48);
    BOOST_TEST(refusal([&] { whole.open(); }) == "read");
    for (size_t size = 0; size < whole.bytes.size(); ++size) {
        const std::string said = refusal([&] { raw(whole.bytes.substr(0, size)).open(); });
        BOOST_TEST(said.starts_with("3: "), size << " bytes: " << said);
    }
}

// Counts that no memory holds are refused before any is taken.
BOOST_AUTO_TEST_CASE(huge_counts_take_no_time) {
    const GgufFile counts = file(uint64_t{2} << 30, 0), array = file(0, 1).array("a", ValueType::u8, huge);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(refusal([&] { counts.open(); }).starts_with("3: "));
        BOOST_TEST(refusal([&] { array.open(); }).starts_with("3: "));
    }
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    BOOST_TEST(taken.count() / 200 < 1);
}

// A model of one layer without its tensors: the tables of its angles are made before one is missing.
GgufFile llama(uint32_t context, uint32_t rotated) {
    GgufFile model = file(1, 9).key("general.architecture", "llama").key("llama.context_length", context);
    for (const char* one : {"block_count", "attention.head_count"}) model.key("llama." + std::string(one), 1);
    for (const char* many : {"embedding_length", "feed_forward_length", "attention.key_length", "rope.dimension_count"})
        model.key("llama." + std::string(many), rotated);
    model.key("llama.attention.layer_norm_rms_epsilon", ValueType::f32).number(1e-5f);
    return model.tensor("x", {8}).pad().data(32);
}

// Contexts that no memory holds are used in part; heads of which that is not enough are refused.
BOOST_AUTO_TEST_CASE(huge_contexts_take_bounded_memory) {
    const auto built = [](const GgufFile& file) {
        return refusal([&] { gguf_format::read(Bytes::copy(file.bytes.data(), file.bytes.size()), "-"); });
    };
    const auto start = std::chrono::steady_clock::now();
    BOOST_TEST(built(llama(uint32_t{1} << 31, 4)) == "3: there is no tensor \"token_embd.weight\"");
    BOOST_TEST(built(llama(16, uint32_t{1} << 31)) == "4: 2147483648 numbers of a head are rotated, at most 65536 can be");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    BOOST_TEST(taken.count() < 60);
}

// Many keys and tensors: each is compared with all before it, not pair by pair.
BOOST_AUTO_TEST_CASE(many_names_take_little_time) {
    constexpr uint64_t count = 60'000;
    GgufFile many = file(count, count);
    for (uint64_t i = 0; i < count; ++i) many.key("k" + std::to_string(i), ValueType::u8).number(uint8_t{1});
    for (uint64_t i = 0; i < count; ++i) many.tensor("t" + std::to_string(i), {8}, 0, 32 * i);
    many.pad().data(32 * count);
    const auto start = std::chrono::steady_clock::now();
    BOOST_TEST(many.open().tensors.size() == count);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    BOOST_TEST(taken.count() < 5);
}

BOOST_AUTO_TEST_SUITE_END()
