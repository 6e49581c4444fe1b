// usage: gguf_copy FROM TO [big]   The whole of a GGUF file through the reader and the writer; big: in the other byte order.
#include <cstdio>
#include <string_view>

#include "formats/gguf/file/open.h"
#include "formats/gguf/file/writer.h"
#include "libcore/base/error.h"

int main(int argc, char** argv) {
    using namespace quern;
    if (argc < 3) return 2;
    try {
        const gguf::File from = gguf::open(map_input(argv[1]), argv[1]);
        OutputFile to(argv[2]);
        gguf::copy(from, to, {.big_endian = argc > 3 && std::string_view(argv[3]) == "big"});
        to.commit();
    } catch (const Error& error) {
        std::fprintf(stderr, "gguf_copy: %s\n", error.message().c_str());
        return static_cast<int>(error.exit());
    }
    return 0;
}
