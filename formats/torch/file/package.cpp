#include "formats/torch/file/package.h"

#include "formats/sniff/sniff.h"
#include "formats/torch/file/member.h"
#include "formats/torch/file/pickle.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

// "R/models/NAME.json" -> "NAME"
std::string program_name(const std::string& member) {
    const size_t from = member.rfind('/') + 1;
    return member.substr(from, member.size() - from - 5);
}

StoredTensor stored_of(const JsonView& meta, Bytes storage) {
    StoredTensor tensor;
    tensor.dtype = dtype_of_code(meta["dtype"].integer());
    const auto number = [](const JsonView& size) { return size["as_int"].integer(); };
    for (size_t i = 0; i < meta["sizes"].size(); ++i) tensor.sizes.push_back(number(meta["sizes"].at(i)));
    for (size_t i = 0; i < meta["strides"].size(); ++i) tensor.strides.push_back(number(meta["strides"].at(i)));
    tensor.offset = number(meta["storage_offset"]);
    tensor.storage = std::move(storage);
    return tensor;
}

// Members of the raw layout: whole storages, and a table that says which tensor is a window of which.
void read_raw(const ZipArchive& zip, const std::string& folder, const Bytes& table, Package& package, StoredTensors& to) {
    const Json document = parse_json(table.text());
    Members members(zip);
    JsonView(document)["config"].each([&](const std::string& name, const JsonView& entry) {
        const std::string path = folder + entry["path_name"].text();
        const bool pickled = entry.has("use_pickle") && entry["use_pickle"].boolean();
        if (pickled || !entry.has("tensor_meta") || entry["tensor_meta"].json().is_null()) {
            package.refused[name] = "is pickled by a class of its own";
            return;
        }
        if (!zip.find(path)) throw bad_input("has no member \"{}\", which is {}", escape(path), escape(name));
        to[name] = stored_of(entry["tensor_meta"], members.read(path));
    });
}

void read_saved(const Bytes& bytes, StoredTensors& to) {
    if (bytes.empty()) return;
    const PickledObjects objects = read_pickled(ZipArchive(bytes));
    for (auto& [name, tensor] : tensors_of(objects)) to[name] = std::move(tensor);
}

// Weights of the program `name` under `folder`, in whichever of the two forms they are.
void read_tensors(const ZipArchive& zip, const std::string& folder, const std::string& name, const std::string& table, Package& package,
                  StoredTensors& to) {
    if (const auto* member = zip.find(folder + name + table)) read_raw(zip, folder, read_member(zip, *member), package, to);
    if (const auto* member = zip.find(folder + name + ".pt")) at_place(member->name, [&] { read_saved(read_member(zip, *member), to); });
}

Package read_flat(const ZipArchive& zip, const std::string& name) {
    if (!name.empty() && name != "model") throw usage_error("--signature {}: the file has one program, \"model\"", name);
    Package package{.name = "model", .program = read_member(zip, *zip.find(flat_program))};
    const auto saved = [&](std::string_view path, StoredTensors& to) {
        if (const auto* member = zip.find(path)) at_place(path, [&] { read_saved(read_member(zip, *member), to); });
    };
    saved("serialized_state_dict.pt", package.weights);
    saved("serialized_constants.pt", package.constants);
    return package;
}

}  // namespace

Package read_package(const ZipArchive& zip, const std::string& name) {
    if (zip.find(flat_program)) return read_flat(zip, name);
    const ZipArchive::Member* chosen = nullptr;
    std::vector<std::string> names;
    for (const auto& member : zip.members()) {
        if (!is_program(member.name)) continue;
        names.push_back(program_name(member.name));
        if (!chosen && (name.empty() || names.back() == name)) chosen = &member;
    }
    if (!chosen) throw usage_error("--signature {}: the file has the programs {}", name, join(names, ", "));
    const std::string root = chosen->name.substr(0, chosen->name.rfind("models/")), own = program_name(chosen->name);
    if (const auto* order = zip.find(root + "byteorder"); order && trim(read_member(zip, *order).text()) != "little")
        throw unsupported("weights in another byte order than little-endian");
    Package package{.name = own, .program = read_member(zip, *chosen)};
    read_tensors(zip, root + "data/weights/", own, "_weights_config.json", package, package.weights);
    read_tensors(zip, root + "data/constants/", own, "_constants_config.json", package, package.constants);
    return package;
}

}  // namespace quern::torch_format
