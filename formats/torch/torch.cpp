#include "formats/torch/torch.h"

#include "formats/shared/front_end.h"
#include "formats/sniff/sniff.h"
#include "formats/torch/file/aliases.h"
#include "formats/torch/import.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

constexpr std::string_view export_again =
    "torch.export.save(torch.export.export(module.eval(), (input,)), \"model.pt2\") writes what is read";

}  // namespace

Model read_signature(const Bytes& bytes, const std::string&, const std::string& name) {
    if (is_executorch(bytes))
        throw unsupported("is a program of ExecuTorch, which is compiled already").with_hint(std::string(export_again));
    const ZipArchive zip(bytes);
    const std::string kind = kind_of(zip);
    if (kind == "state")
        throw unsupported("is a dictionary or an object that torch.save wrote: weights without a graph")
            .with_hint(std::string(export_again));
    if (kind.empty()) throw bad_input("is a ZIP archive, but none of PyTorch's");
    if (kind != "package") throw unsupported("is {}", kind).with_hint(std::string(export_again));
    const Package package = read_package(zip, name);
    return at_place(fmt::format("program \"{}\"", escape(package.name)),
                    [&] { return import_program(package, read_program(package.program.text()), bytes.size()); });
}

Model read(const Bytes& bytes, const std::string& path) { return read_signature(bytes, path, ""); }

}  // namespace quern::torch_format

extern "C" const quern::FrontEnd* quern_front_end() {
    static const quern::FrontEnd front_end{
        .read = quern::torch_format::read, .read_signature = quern::torch_format::read_signature, .remedy = quern::torch_format::remedy};
    return &front_end;
}
