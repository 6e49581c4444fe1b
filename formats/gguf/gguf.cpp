#include "formats/gguf/gguf.h"

#include "formats/gguf/build.h"
#include "formats/gguf/file/facts.h"
#include "formats/gguf/file/open.h"
#include "formats/gguf/file/vocabulary.h"
#include "formats/shared/front_end.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern::gguf_format {

Model read(const Bytes& bytes, const std::string& path) {
    const gguf::File file = gguf::open(bytes, path);
    gguf::need_model(file);
    Model model;
    gguf::Built built = gguf::build(file);
    if (!built.unused.empty())
        say_notice(fmt::format("{}: tensors that the graph has no use for: {}", display_name(path), escape(join(built.unused, ", "))));
    if (built.shortened)
        say_notice(fmt::format("{}: of a context of {} positions {} can be used", display_name(path), built.shortened->context,
                               built.shortened->positions));
    model.facts[std::string(gguf::facts_kind)] = gguf::facts_json(file, built.beside);
    model.graph = std::move(built.graph);
    if (const auto tokenizer = gguf::tokenizer_of(file.metadata)) model.facts["tokenizer"] = to_json(*tokenizer);
    return model;
}

}  // namespace quern::gguf_format

extern "C" const quern::FrontEnd* quern_front_end() {
    static const quern::FrontEnd front_end{.read = quern::gguf_format::read, .write = quern::gguf_format::write};
    return &front_end;
}
