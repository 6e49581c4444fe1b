#include "formats/tflite/write/write.h"

#include "libcore/os/io.h"

namespace quern::tflite_format {

void write_packed(const Packed& packed, const std::string& path, Outputs& outputs) {
    OutputFile file = outputs.open(path);
    file.write({reinterpret_cast<const char*>(packed.head.data()), packed.head.size()});
    for (const auto& [place, bytes] : packed.behind) {
        file.pad_to(16);
        file.write(bytes);
        bytes.release();
    }
    file.commit();
}

}  // namespace quern::tflite_format
