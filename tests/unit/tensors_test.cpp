#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "formats/samples/results.h"
#include "formats/samples/samples.h"
#include "formats/samples/stream.h"
#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "formats/tensors/rows.h"

using namespace quern;

namespace {

struct Folder {
    std::string path;
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "quern-test-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string put(const std::string& name, std::string_view bytes) const {
        const std::string file = path + "/" + name;
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }
    std::string put(const std::string& name, const std::vector<float>& values) const {
        return put(name, std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * 4));
    }
};

std::string npy_of(const Tensor& tensor) { return npy_header(tensor.dtype, tensor.dims) + std::string(tensor.data.text()); }
Bytes bytes_of(const std::string& text) { return Bytes::copy(text.data(), text.size()); }
InputSpec spec_of(const std::string& name, DType dtype, std::initializer_list<int64_t> dims) {
    return {name, Type::tensor(dtype, Shape::of(std::vector<int64_t>(dims))), {}};
}

template <class Fn>
std::string error_of(const Fn& fn) {
    try {
        fn();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tensors)

BOOST_AUTO_TEST_CASE(npy_and_npz_round_trip) {
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    const Tensor a = Tensor::make<float>({2, 3}, values);
    const Tensor b = Tensor::scalar<int64_t>(-7);
    BOOST_TEST(identical(parse_npy(bytes_of(npy_of(a))), a));
    BOOST_TEST(identical(parse_npy(bytes_of(npy_of(b))), b));
    BOOST_TEST(npy_of(a).size() % 64 == 24);
    const Folder folder;
    const std::string path = folder.path + "/x.npz";
    OutputFile file(path);
    NpzWriter writer(file);
    writer.add("a", a);
    writer.add("Result_0/b", b);
    writer.finish();
    file.commit();
    const Npz npz(map_input(path));
    BOOST_TEST(npz.names().size() == 2);
    BOOST_TEST(identical(npz.array(0), a));
    BOOST_TEST(identical(npz.array(1), b));
}

BOOST_AUTO_TEST_CASE(npy_memory_and_byte_orders) {
    const auto array = [](const std::string& dict, const std::string& data) {
        std::string text("\x93NUMPY\x01\x00", 8);
        text += static_cast<char>(dict.size());
        text += '\0';
        return parse_npy(bytes_of(text + dict + data));
    };
    const Tensor f = array("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "abcdef");
    BOOST_TEST(f.data.text() == "acebdf");
    const Tensor big = array("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", std::string("\x01\x02\xff\xfe", 4));
    BOOST_TEST(big.view<int16_t>()[0] == 0x102);
    BOOST_TEST(big.view<int16_t>()[1] == -2);
    BOOST_TEST(error_of([&] { array("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "123"); }) ==
               "npy array of float32[2] needs 8 bytes, got 3");
    BOOST_TEST(error_of([&] { array("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "123"); }) ==
               "elements are of type \"|O\", which is not read");
    BOOST_CHECK_THROW(array("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", ""), Error);
}

BOOST_AUTO_TEST_CASE(damaged_archives_are_refused) {
    const Folder folder;
    const std::string path = folder.path + "/x.npz";
    OutputFile file(path);
    NpzWriter writer(file);
    writer.add("a", Tensor::scalar<float>(1));
    writer.finish();
    file.commit();
    const std::string whole(map_input(path).text());
    int refused = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
        std::string broken = whole;
        broken[i] = static_cast<char>(broken[i] ^ 0x5a);
        try {
            const Npz npz(bytes_of(broken));
            for (size_t k = 0; k < npz.names().size(); ++k) npz.array(k);
        } catch (const Error&) {
            ++refused;
        }
        BOOST_CHECK_NO_THROW(try { Npz(bytes_of(whole.substr(0, i))); } catch (const Error&){});
    }
    BOOST_TEST(refused > 100);
}

BOOST_AUTO_TEST_CASE(rows_with_steps) {
    const auto spec = parse_rows("dir/x=y.bin:u8[2,2,3]/2-1,2,3@2,0,1");
    BOOST_REQUIRE(spec.has_value());
    BOOST_TEST(spec->path == "dir/x=y.bin");
    BOOST_TEST((spec->result_dims() == Dims{3, 2, 2}));
    std::string blob;
    for (int i = 0; i < 24; ++i) blob += static_cast<char>(i);
    const Tensor row = load_row(*spec, bytes_of(blob), 1);
    const std::vector<float> want{5, 6.5, 8, 9.5, 4.5, 6, 7.5, 9, 4, 5.5, 7, 8.5};
    BOOST_TEST(std::ranges::equal(row.view<float>(), want));
    BOOST_TEST(!parse_rows("plain.raw").has_value());
    BOOST_TEST(!parse_rows("c:odd[1]").has_value());
    BOOST_CHECK_THROW(parse_rows("x:u8[2,2]@0,0"), Error);
    BOOST_CHECK_THROW(parse_rows("x:u8[2,2]*1,2,3"), Error);
    BOOST_CHECK_THROW(parse_rows("x:u8[99999999999,99999999999]"), Error);
    const Tensor reversed = load_row(*parse_rows("x:u8[3]~0"), bytes_of("abc"), 0);
    BOOST_TEST(reversed.data.text() == "cba");
}

BOOST_AUTO_TEST_CASE(a_file_of_many_samples_equals_many_files) {
    const Folder folder;
    std::vector<float> all;
    std::string list;
    for (int i = 0; i < 5; ++i) {
        const std::vector<float> one{static_cast<float>(i), static_cast<float>(i) + 0.5f};
        all.insert(all.end(), one.begin(), one.end());
        folder.put(fmt::format("{}.raw", i), one);
        list += fmt::format("x:={}.raw\n", i);
    }
    const std::string npy = folder.put("all.npy", npy_of(Tensor::make<float>({5, 2}, all)));
    folder.put("all.raw", all);
    const std::vector<InputSpec> specs{spec_of("x", DType::f32, {1, 2})};
    const auto files = open_samples(specs, {.list = folder.put("list.txt", "\n# a comment\n" + list)});
    const auto array = open_samples(specs, {.inputs = {"x=" + npy}});
    const auto rows = open_samples(specs, {.inputs = {folder.path + "/all.raw:float32[2]"}});
    for (const auto* source : {files.get(), array.get(), rows.get()}) {
        BOOST_TEST_REQUIRE(source->count() == 5);
        for (uint64_t i = 0; i < 5; ++i) BOOST_TEST(identical(source->sample(i)[0], files->sample(i)[0]));
    }
    const auto tail = open_samples(specs, {.inputs = {"x=" + npy}, .skip = 3});
    BOOST_TEST(tail->count() == 2);
    BOOST_TEST(tail->index(0) == 3);
    BOOST_TEST(identical(tail->sample(1)[0], files->sample(4)[0]));
}

BOOST_AUTO_TEST_CASE(rows_of_an_open_batch_are_samples) {
    const Folder folder;
    const std::vector<float> values{0, 1, 2, 3, 4, 5};
    const std::string npy = folder.put("ROWS.NPY", npy_of(Tensor::make<float>({3, 2}, values))), raw = folder.put("rows.raw", values);
    const Type type = Type::tensor(DType::f32, Shape::of_dims({Dim::named("batch"), Dim::of(2)}));
    const std::vector<InputSpec> specs{{.name = "x", .type = type, .open_batch = true}};
    const auto source = open_samples(specs, {.inputs = {npy}});
    BOOST_TEST_REQUIRE(source->count() == 3);
    BOOST_TEST((source->sample(1)[0].dims == Dims{1, 2}));
    BOOST_TEST(std::ranges::equal(source->sample(1)[0].view<float>(), std::vector<float>{2, 3}));
    const auto part = open_samples(specs, {.inputs = {npy}, .skip = 2});
    BOOST_TEST(part->count() == 1);
    BOOST_TEST(part->listed == 3);
    BOOST_TEST(open_samples(specs, {.inputs = {raw}})->count() == 1);  // without a header: one sample
    const std::string stacked = folder.put("stacked.npy", npy_of(Tensor::make<float>({1, 3, 2}, values)));
    BOOST_TEST((open_samples(specs, {.inputs = {stacked}})->sample(0)[0].dims == Dims{3, 2}));  // a batch of three, as it is said
    const std::string none = folder.put("none.npy", npy_of(Tensor::make<float>({0, 2}, {})));
    BOOST_TEST(error_of([&] { open_samples(specs, {.inputs = {none}}); }) == "there are no samples");
}

BOOST_AUTO_TEST_CASE(open_first_dims_are_a_batch_unless_they_are_something_else) {
    const auto batches = [](const std::vector<Shape>& shapes, bool time = false) {
        Graph graph;
        for (const Shape& shape : shapes)
            graph.inputs.push_back(graph.add_value(fmt::format("x{}", graph.inputs.size()), Type::tensor(DType::f32, shape)));
        if (time) {
            const ValueId w = graph.add_constant("w", Tensor::make<float>({1, 2, 2}, std::vector<float>(4)));
            graph.add_node(find_op("RNN"), "rnn", {graph.inputs[0], w, w}, {graph.add_value("y", {})}, {{"hidden_size", int64_t{2}}});
        }
        std::string out;
        for (const InputSpec& spec : input_specs(graph)) out += spec.open_batch ? '1' : '0';
        return out;
    };
    const Shape batch = Shape::of_dims({Dim::named("batch"), Dim::of(2)}), boxes = Shape::of_dims({Dim::named("boxes"), Dim::of(4)}),
                open = Shape::of_dims({Dim::unknown(), Dim::of(2)}), fixed = Shape::of(std::vector<int64_t>{1, 2});
    BOOST_TEST(batches({batch, batch, fixed}) == "110");
    BOOST_TEST(batches({batch, open}) == "11");
    BOOST_TEST(batches({batch, boxes}) == "00");
    BOOST_TEST(batches({Shape::of_dims({Dim::named("length")})}) == "0");
    BOOST_TEST(batches({Shape::of_dims({Dim::named("time"), Dim::of(1), Dim::of(2)})}, true) == "0");
}

BOOST_AUTO_TEST_CASE(elements_fill_a_batch) {
    const Folder folder;
    std::string list;
    for (int i = 0; i < 5; ++i) {
        folder.put(fmt::format("{}.raw", i), std::vector<float>{static_cast<float>(i + 1)});
        list += fmt::format("{}.raw\n", i);
    }
    const std::string path = folder.put("list.txt", list);
    const std::vector<InputSpec> specs{spec_of("x", DType::f32, {3, 1})};
    const auto zeros = open_samples(specs, {.list = path});
    BOOST_TEST(zeros->count() == 2);
    BOOST_TEST(zeros->results(0) == 3);
    BOOST_TEST(zeros->results(1) == 2);
    BOOST_TEST(zeros->index(1) == 3);
    BOOST_TEST(std::ranges::equal(zeros->sample(1)[0].view<float>(), std::vector<float>{4, 5, 0}));
    const auto repeated = open_samples(specs, {.list = path, .repeat_padding = true});
    BOOST_TEST(std::ranges::equal(repeated->sample(1)[0].view<float>(), std::vector<float>{4, 5, 5}));
    BOOST_TEST((part_of(zeros->sample(0)[0], 1, 3).dims == Dims{1, 1}));
}

BOOST_AUTO_TEST_CASE(rows_of_one_array_fill_batches_and_are_chosen_one_by_one) {
    const Folder folder;
    std::vector<float> values(8);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const std::vector<InputSpec> specs{spec_of("x", DType::f32, {4, 1})};
    const SampleOptions all{.inputs = {"x=" + folder.put("all.npy", npy_of(Tensor::make<float>({8, 1}, values)))}};
    const auto source = open_samples(specs, all);
    BOOST_TEST(source->count() == 2);
    BOOST_TEST(source->items() == 8);
    BOOST_TEST(source->results(1) == 4);
    SampleOptions some = all;
    some.skip = 3;
    some.rows = 5;
    const auto part = open_samples(specs, some);
    BOOST_TEST(part->count() == 2);
    BOOST_TEST(part->index(0) == 3);
    BOOST_TEST(part->index(1) == 7);
    BOOST_TEST(part->results(1) == 1);
    BOOST_TEST(std::ranges::equal(part->sample(0)[0].view<float>(), std::vector<float>{3, 4, 5, 6}));
    BOOST_TEST(std::ranges::equal(part->sample(1)[0].view<float>(), std::vector<float>{7, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(messages_say_file_got_and_want) {
    const Folder folder;
    const std::string raw = folder.put("x.raw", std::vector<float>{1, 2, 3});
    const std::vector<InputSpec> specs{spec_of("x", DType::f32, {1, 2})};
    BOOST_TEST(error_of([&] { open_samples(specs, {.inputs = {raw}}); }) == raw + ": got 12 bytes, need 8 (float32[1,2]) for input \"x\"");
    const std::string list = folder.put("list.txt", "y:=" + raw + "\n");
    BOOST_TEST(error_of([&] { open_samples(specs, {.list = list}); }) ==
               list + ": line 1: the model has no input \"y\" (did you mean \"x\"?)");
    const std::string npy = folder.put("x.npy", npy_of(Tensor::make<float>({3, 3}, std::vector<float>(9))));
    BOOST_TEST(error_of([&] { open_samples(specs, {.inputs = {npy}}); }) == npy + ": array is [3,3], need float32[1,2]");
}

BOOST_AUTO_TEST_CASE(streams_round_trip) {
    const Folder folder;
    const std::vector<InputSpec> specs{spec_of("a/b", DType::f32, {2}), spec_of("n", DType::i64, {})};
    const std::string path = folder.path + "/s";
    OutputFile file(path);
    for (int i = 0; i < 3; ++i) {
        const std::vector<float> values{static_cast<float>(i), -1};
        write_frame(file, {"n", "a/b"}, {Tensor::scalar<int64_t>(i), Tensor::make<float>({2}, values)});
    }
    file.commit();
    const auto source = stream_samples(specs, map_input(path), "s", false);
    BOOST_TEST(source->count() == 3);
    BOOST_TEST(source->sample(2)[0].view<float>()[0] == 2);
    BOOST_TEST(source->sample(1)[1].view<int64_t>()[0] == 1);
    const std::string whole(map_input(path).text());
    for (size_t i = 1; i < whole.size() / 3; ++i) BOOST_CHECK_THROW(stream_samples(specs, bytes_of(whole.substr(0, i)), "s", false), Error);
}

BOOST_AUTO_TEST_SUITE_END()
