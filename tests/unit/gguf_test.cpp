// GGUF files that are whole: read, written, copied.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "formats/gguf/file/byte_order.h"
#include "formats/gguf/file/facts.h"
#include "formats/gguf/file/writer.h"
#include "formats/gguf/gguf.h"
#include "tests/unit/gguf_files.h"

using namespace quern;
using namespace quern::test;
using gguf::Metadata;
using gguf::MetaValue;

BOOST_AUTO_TEST_SUITE(gguf_container)

namespace {

class Folder {
   public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "gguf-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

   private:
    std::string path_;
};

gguf::File open(const std::string& path) { return gguf::open(map_input(path), path); }

GgufFile all_types(bool big_endian) {
    GgufFile file{.big_endian = big_endian};
    file.header(0, 14);
    file.key("u8", ValueType::u8).number(uint8_t{200}).key("i8", ValueType::i8).number(int8_t{-3});
    file.key("u16", ValueType::u16).number(uint16_t{60'000}).key("i16", ValueType::i16).number(int16_t{-300});
    file.key("u32", ValueType::u32).number(uint32_t{4'000'000'000}).key("i32", ValueType::i32).number(int32_t{-70'000});
    file.key("u64", ValueType::u64).number(~uint64_t{0}).key("i64", ValueType::i64).number(int64_t{-5'000'000'000});
    file.key("f32", ValueType::f32).number(1.5f).key("f64", ValueType::f64).number(-0.1);
    file.key("bool", ValueType::boolean).number(uint8_t{1}).key("string", "text \xe2\x96\x81");
    file.array("texts", ValueType::string, 3).text("a").text("").text("bc");
    file.array("numbers", ValueType::u16, 3).number(uint16_t{1}).number(uint16_t{2}).number(uint16_t{513});
    return file;
}

void check_all_types(const Metadata& data) {
    const std::vector<std::pair<std::string, int64_t>> integers{
        {"u8", 200},      {"i8", -3},  {"u16", 60'000},        {"i16", -300}, {"u32", 4'000'000'000},
        {"i32", -70'000}, {"bool", 1}, {"i64", -5'000'000'000}};
    for (const auto& [key, number] : integers) BOOST_TEST(data.integer(key).value() == number);
    BOOST_TEST(data.real("f32").value() == 1.5);
    BOOST_TEST(data.real("f64").value() == -0.1);
    BOOST_TEST(data.real("u16").value() == 60'000);
    BOOST_TEST(data.real("u64").value() == 18446744073709551615.0);
    BOOST_TEST(data.boolean("bool").value());
    BOOST_TEST(data.text("string").value() == "text \xe2\x96\x81");
    BOOST_TEST(data.texts("texts") == (std::vector<std::string_view>{"a", "", "bc"}), boost::test_tools::per_element());
    BOOST_TEST(data.integers("numbers") == (std::vector<int64_t>{1, 2, 513}), boost::test_tools::per_element());
    BOOST_TEST(data.integers("i8") == std::vector<int64_t>{-3}, boost::test_tools::per_element());
    BOOST_TEST(data.reals("numbers") == (std::vector<float>{1, 2, 513}), boost::test_tools::per_element());
}

Metadata some_metadata() {
    Metadata data;
    data.add("general.architecture", MetaValue::text("none"));
    data.add("a.count", MetaValue::integer(ValueType::u32, 7));
    data.add("a.eps", MetaValue::real(ValueType::f32, 1e-5));
    data.add("a.list", MetaValue::texts(std::vector<std::string_view>{"x", "", "yz"}));
    const std::array<float, 3> scores{1, 2, 3};
    data.add("a.scores", MetaValue::numbers(ValueType::f32, 3, Bytes::copy_of<float>(scores)));
    return data;
}

// Bytes of which no two neighbours are the same.
Bytes counted(size_t size, int first) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(static_cast<int>(i) * 7 + first);
    return Bytes::own(std::move(bytes));
}

// A tensor of each type, of 3 rows of two blocks.
std::vector<gguf::TensorHead> tensor_of_each_type() {
    std::vector<gguf::TensorHead> heads;
    for (const BlockFormat& format : block_formats()) heads.push_back({std::string(format.name), &format, {3, 2 * format.elements}});
    return heads;
}

void write_all(const std::string& path, const Metadata& metadata, const std::vector<gguf::TensorHead>& heads,
               const gguf::WriterOptions& options = {}) {
    OutputFile file(path);
    gguf::Writer writer(file, metadata, heads, options);
    int first = 0;
    for (const gguf::TensorHead& head : heads) writer.add(counted(head.bytes(), ++first));
    writer.finish();
    file.commit();
}

void copy(const gguf::File& from, const std::string& path, const gguf::WriterOptions& options = {}) {
    OutputFile file(path);
    gguf::copy(from, file, options);
    file.commit();
}

void same(const gguf::File& a, const gguf::File& b) {
    BOOST_TEST(a.metadata.entries().size() == b.metadata.entries().size());
    for (const auto& [key, value] : a.metadata.entries()) {
        const MetaValue* other = b.metadata.find(key);
        BOOST_TEST((other && *other == value), key);
    }
    BOOST_TEST(a.tensors.size() == b.tensors.size());
    for (const gguf::TensorInfo& tensor : a.tensors) {
        const gguf::TensorInfo* other = b.find(tensor.name);
        BOOST_REQUIRE(other);
        BOOST_TEST((tensor.format == other->format && tensor.dims == other->dims));
        BOOST_TEST((tensor.data().text() == other->data().text()), tensor.name);
    }
}

// One of `count` shards, with a tensor of its number.
void write_shard(const std::string& path, int no, int count, int all_tensors, const std::string& tensor, int says_count = -1) {
    Metadata data;
    if (no == 0) data = some_metadata();
    data.add("split.no", MetaValue::integer(ValueType::u16, no));
    data.add("split.count", MetaValue::integer(ValueType::u16, says_count < 0 ? count : says_count));
    data.add("split.tensors.count", MetaValue::integer(ValueType::i32, all_tensors));
    write_all(path, data, {{tensor, block_format_named("f32"), {2, 3}}});
}

std::string shard_path(const Folder& folder, int number, int count) {
    return folder / fmt::format("net-{:05}-of-{:05}.gguf", number, count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_of_all_types) {
    for (const bool big_endian : {false, true}) {
        const gguf::File file = all_types(big_endian).open();
        BOOST_TEST(file.big_endian == big_endian);
        check_all_types(file.metadata);
    }
}

BOOST_AUTO_TEST_CASE(wrong_types_are_named) {
    const gguf::File file = all_types(false).open();
    const Metadata& data = file.metadata;
    BOOST_TEST(refusal([&] { (void)data.integer("f32"); }) == "3: metadata \"f32\" is float32, need an integer");
    BOOST_TEST(refusal([&] { (void)data.integer("numbers"); }) == "3: metadata \"numbers\" is array of uint16, need an integer");
    BOOST_TEST(refusal([&] { (void)data.integer("u64"); }) == "3: metadata \"u64\": 18446744073709551615 is larger than int64 holds");
    BOOST_TEST(refusal([&] { (void)data.real("string"); }) == "3: metadata \"string\" is string, need a number");
    BOOST_TEST(refusal([&] { (void)data.text("u8"); }) == "3: metadata \"u8\" is uint8, need a string");
    BOOST_TEST(refusal([&] { (void)data.boolean("u8"); }) == "3: metadata \"u8\" is uint8, need a bool");
    BOOST_TEST(refusal([&] { (void)data.texts("numbers"); }) == "3: metadata \"numbers\" is array of uint16, need strings");
    BOOST_TEST(!data.integer("absent"));
    BOOST_TEST(data.reals("absent").empty());
}

BOOST_AUTO_TEST_CASE(dims_are_row_major_and_data_a_slice) {
    for (const uint32_t version : {2, 3}) {
        GgufFile file;
        file.header(2, 0, version).tensor("w", {64, 3}, 8).tensor("s", {}, 0, 224).pad();
        const size_t start = file.bytes.size();
        file.data(224 + 4);
        const gguf::File opened = file.open();
        const gguf::TensorInfo* w = opened.find("w");
        BOOST_REQUIRE(w);
        BOOST_TEST(w->dims == (Dims{3, 64}), boost::test_tools::per_element());
        BOOST_TEST(w->offset == start);
        BOOST_TEST(w->stored.size() == 204);
        BOOST_TEST(w->data().data() == w->stored.data());
        BOOST_TEST(opened.find("s")->elements() == 1);
        BOOST_TEST(!opened.find("other"));
        BOOST_TEST(opened.version == version);
    }
}

BOOST_AUTO_TEST_CASE(every_alignment) {
    const Folder folder;
    for (int64_t alignment = 8; alignment <= 1 << 20; alignment *= 2) {
        Metadata data = some_metadata();
        data.add("general.alignment", MetaValue::integer(ValueType::u32, alignment));
        const std::string path = folder / "a.gguf";
        write_all(path, data, tensor_of_each_type());
        const gguf::File file = open(path);
        BOOST_TEST(file.alignment == static_cast<uint64_t>(alignment));
        for (const gguf::TensorInfo& tensor : file.tensors) BOOST_TEST(tensor.offset % file.alignment == 0);
    }
}

BOOST_AUTO_TEST_CASE(copies_keep_every_byte) {
    const Folder folder;
    const std::string first = folder / "first.gguf", big = folder / "big.gguf", back = folder / "back.gguf";
    write_all(first, some_metadata(), tensor_of_each_type());
    copy(open(first), big, {.big_endian = true});
    BOOST_TEST(open(big).big_endian);
    same(open(first), open(big));
    copy(open(big), back);
    BOOST_TEST((map_input(first).text() == map_input(back).text()));
    copy(open(first), back, {.version = 2});
    BOOST_TEST(open(back).version == 2);
    same(open(first), open(back));
}

// Halves and words of a block are turned, bytes are not.
BOOST_AUTO_TEST_CASE(blocks_of_the_other_byte_order) {
    const BlockFormat& format = *block_format_named("q8_0");
    const Bytes blocks = counted(2 * format.bytes, 1), turned = gguf::swapped_blocks(blocks, format);
    BOOST_TEST((turned.data()[0] == blocks.data()[1] && turned.data()[35] == blocks.data()[34]));
    BOOST_TEST((turned.slice(2, 32).text() == blocks.slice(2, 32).text()));
    BOOST_TEST((gguf::swapped_blocks(turned, format).text() == blocks.text()));
}

BOOST_AUTO_TEST_CASE(shards_are_joined_and_copied_into_one) {
    const Folder folder;
    for (int no = 0; no < 3; ++no) write_shard(shard_path(folder, no + 1, 3), no, 3, 3, "t" + std::to_string(no));
    const gguf::File file = open(shard_path(folder, 1, 3));
    BOOST_TEST(file.shards == 3);
    BOOST_TEST(file.tensors.size() == 3);
    BOOST_TEST(file.find("t2")->shard == 2);
    copy(file, folder / "one.gguf");
    const gguf::File one = open(folder / "one.gguf");
    BOOST_TEST(one.shards == 1);
    BOOST_TEST(!one.metadata.find("split.count"));
    BOOST_TEST(one.metadata.entries().size() == some_metadata().entries().size());
    for (const gguf::TensorInfo& tensor : file.tensors) BOOST_TEST((tensor.stored.text() == one.find(tensor.name)->stored.text()));
}

BOOST_AUTO_TEST_CASE(shards_are_files_of_the_folder) {
    const Folder folder, other;
    for (int no = 0; no < 2; ++no) write_shard(shard_path(folder, no + 1, 2), no, 2, 2, "t" + std::to_string(no));
    std::filesystem::rename(shard_path(folder, 2, 2), other / "elsewhere");
    std::filesystem::create_symlink(other / "elsewhere", shard_path(folder, 2, 2));
    BOOST_TEST(refusal([&] { open(shard_path(folder, 1, 2)); }).find("through a link") != std::string::npos);
    // Where the first one lies, too.
    std::filesystem::rename(shard_path(folder, 1, 2), other / "first");
    std::filesystem::create_symlink(other / "first", shard_path(folder, 1, 2));
    BOOST_TEST(open(shard_path(folder, 1, 2)).shards == 2);
    std::filesystem::remove(shard_path(folder, 2, 2));
    BOOST_REQUIRE(::mkfifo(shard_path(folder, 2, 2).c_str(), 0600) == 0);
    BOOST_TEST(refusal([&] { open(shard_path(folder, 1, 2)); }).find("is not a file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(broken_shards_are_named) {
    const auto said = [](const std::function<void(const Folder&)>& change, int given = 1) {
        const Folder folder;
        for (int no = 0; no < 3; ++no) write_shard(shard_path(folder, no + 1, 3), no, 3, 3, "t" + std::to_string(no));
        change(folder);
        std::string message = refusal([&] { open(shard_path(folder, given, 3)); });
        const std::string prefix = folder / "";
        for (size_t at = 0; (at = message.find(prefix)) != std::string::npos;) message.erase(at, prefix.size());
        return message;
    };
    const auto nothing = [](const Folder&) {};
    BOOST_TEST(said(nothing) == "read");
    BOOST_TEST(said(nothing, 2) == "3: is shard 2 of 3: give the first, net-00001-of-00003.gguf");
    BOOST_TEST(said([](const Folder& f) { std::filesystem::remove(shard_path(f, 3, 3)); }) ==
               "3: shard 3 of 3 is missing: net-00003-of-00003.gguf");
    BOOST_TEST(said([](const Folder& f) { write_shard(shard_path(f, 3, 3), 1, 3, 3, "t1"); }) ==
               "3: net-00003-of-00003.gguf: metadata \"split.no\" is 1 of 3, need 2 of 3: this is another shard");
    BOOST_TEST(said([](const Folder& f) { write_shard(shard_path(f, 2, 3), 1, 3, 3, "t1", 4); }) ==
               "3: net-00002-of-00003.gguf: metadata \"split.no\" is 1 of 4, need 1 of 3: this is another shard");
    BOOST_TEST(said([](const Folder& f) { write_shard(shard_path(f, 2, 3), 1, 3, 3, "t0"); }) ==
               "3: net-00002-of-00003.gguf: tensor \"t0\" is in shard 1 already");
    BOOST_TEST(said([](const Folder& f) { write_shard(shard_path(f, 1, 3), 0, 3, 4, "t0"); }) ==
               "3: metadata \"split.tensors.count\" is 4, the 3 shards have 3 tensors");
    BOOST_TEST(said([](const Folder& f) { write_shard(shard_path(f, 1, 3), 5, 3, 3, "t0"); }) ==
               "3: metadata \"split.no\" is 5, need 0 to 2");
    BOOST_TEST(said([](const Folder& f) { write_all(shard_path(f, 2, 3), {}, {}); }) ==
               "3: net-00002-of-00003.gguf: metadata \"split.no\" is -1 of 0, need 1 of 3: this is another shard");
    const Folder folder;
    write_shard(folder / "other.gguf", 0, 3, 3, "t0");
    BOOST_TEST(refusal([&] { open(folder / "other.gguf"); }) ==
               "3: is shard 1 of 3: the others are found only if its name ends in \"-00001-of-00003.gguf\"");
}

BOOST_AUTO_TEST_CASE(what_gguf_cannot_have_is_not_written) {
    const Folder folder;
    const BlockFormat *f32 = block_format_named("f32"), *q8_0 = block_format_named("q8_0");
    const auto said = [&](const std::vector<gguf::TensorHead>& heads) {
        return refusal([&] {
            OutputFile file(folder / "x.gguf");
            gguf::Writer writer(file, {}, heads);
        });
    };
    BOOST_TEST(said({{std::string(64, 'x'), f32, {1}}}).ends_with("the name has 64 bytes, GGUF has 1 to 63"));
    BOOST_TEST(said({{"x", f32, {1, 1, 1, 1, 1}}}) == "4: tensor \"x\": has 5 dims, GGUF has at most 4");
    BOOST_TEST(said({{"x", f32, {0}}}) == "4: tensor \"x\": has no elements");
    BOOST_TEST(said({{"x", q8_0, {2, 33}}}) == "4: tensor \"x\": rows of 33 elements are not whole blocks of 32, as type Q8_0 needs");
    BOOST_TEST(said({{"x", f32, {1}}, {"x", f32, {1}}}) == "4: tensor \"x\": the name is there twice");
    BOOST_TEST(!file_exists(folder / "x.gguf"));
}

// What JSON keeps of the metadata is what was there, to the bit.
BOOST_AUTO_TEST_CASE(facts_keep_every_key) {
    GgufFile file = all_types(false);
    file.key("nan", ValueType::f32).number(0x7fc12345).key("f64 inf", ValueType::f64).number(uint64_t{0xfff0000000000000});
    file.bytes.replace(file.bytes.find("f64 inf"), 7, "f64_inf");
    file.key("bytes", "a\xff\x80").array("tokenizer.ggml.tokens", ValueType::string, 1).text("t").array("none", ValueType::i64, 0);
    file.tensor("w", {32, 2}, 8).pad().data(68);
    file.bytes.replace(8, 16, GgufFile().number(uint64_t{1}).number(uint64_t{19}).bytes);
    const gguf::File read = file.open();
    const std::string json = gguf::facts_json(read, {});
    const gguf::Facts facts = gguf::parse_facts(json, read.metadata);
    BOOST_REQUIRE(facts.metadata.entries().size() == 19);
    for (size_t i = 0; i < 19; ++i) {
        const auto &wanted = read.metadata.entries()[i], &got = facts.metadata.entries()[i];
        BOOST_TEST((wanted.key == got.key && wanted.value == got.value), wanted.key);
    }
    BOOST_REQUIRE(facts.tensors.size() == 1);
    BOOST_TEST((facts.tensors[0].name == "w" && facts.tensors[0].format->name == "q8_0" && facts.tensors[0].dims == Dims{2, 32}));
    BOOST_TEST(refusal([&] { gguf::parse_facts(json, {}); }).find("\"tokenizer.ggml.tokens\" without a value") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(broken_facts_are_named) {
    const auto said = [](const std::string& entry) {
        return refusal([&] { gguf::parse_facts(R"({"kind":"gguf","version":1,"tensors":[],"metadata":[)" + entry + "]}", {}); });
    };
    BOOST_TEST(said(R"({"key":"a","type":"uint8","value":7})") == "read");
    for (const std::string entry : {R"({"key":"a","type":"uint8","value":256})", R"({"key":"a","type":"uint9","value":1})",
                                    R"({"key":"a","type":"array","value":[]})", R"({"key":"a","type":"float32","value":"0xzz"})",
                                    R"({"key":"a","type":"string","value":{"hex":"abc"}})", R"({"key":"a","type":"bool","value":1})",
                                    R"({"key":"a","type":"int8","value":1},{"key":"a","type":"int8","value":1})"})
        BOOST_TEST(said(entry).starts_with("3: facts \"gguf\": "), entry);
}

// What holds no model is read, but is none.
BOOST_AUTO_TEST_CASE(other_kinds_are_named) {
    const auto said = [](GgufFile file) {
        return refusal([&] { gguf_format::read(Bytes::copy(file.bytes.data(), file.bytes.size()), "-"); });
    };
    const auto of_type = [&](const std::string& type) { return said(GgufFile().header(0, 1).key("general.type", type)); };
    BOOST_TEST(of_type("adapter").starts_with("4: is an adapter"));
    BOOST_TEST(of_type("mmproj").starts_with("4: is a projector"));
    BOOST_TEST(of_type("imatrix").starts_with("4: is an importance matrix"));
    BOOST_TEST(of_type("soup").starts_with("4: is of type \"soup\""));
    BOOST_TEST(of_type("model").starts_with("4: is a vocabulary alone"));
    BOOST_TEST(said(GgufFile().header(0, 1).key("general.architecture", "clip")).starts_with("4: is a projector"));
    BOOST_TEST(said(GgufFile().header(1, 0).tensor("x", {8}).pad().data(32)) == "3: metadata \"general.architecture\" is missing");
    BOOST_TEST(said(GgufFile().header(1, 1).key("general.architecture", "soup").tensor("x", {8}).pad().data(32)).starts_with("4: arch"));
}

// 100 GB that the disk does not hold: only the header is read.
BOOST_AUTO_TEST_CASE(data_are_not_touched) {
    const Folder folder;
    constexpr uint64_t bytes = uint64_t{100} << 30;
    GgufFile head;
    head.header(1, 0).tensor("x", {bytes / 4}).pad();
    const std::string path = folder / "sparse.gguf";
    const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    BOOST_REQUIRE(::write(fd, head.bytes.data(), head.bytes.size()) == static_cast<ssize_t>(head.bytes.size()));
    BOOST_REQUIRE(::ftruncate(fd, static_cast<off_t>(head.bytes.size() + bytes)) == 0);
    ::close(fd);
    const Bytes mapped = map_input(path);
    const gguf::File file = gguf::open(mapped, path);
    BOOST_TEST(file.find("x")->stored.size() == bytes);
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    size_t resident = 0;
    for (bool ours = false; std::getline(maps, line);) {
        if (line.find(path) != std::string::npos) ours = true;
        if (ours && line.starts_with("Rss:")) {
            resident = std::stoul(line.substr(4));
            break;
        }
    }
    BOOST_TEST(resident < 16 * 1024);  // kB
    BOOST_TEST(resident > 0);
}

BOOST_AUTO_TEST_SUITE_END()
