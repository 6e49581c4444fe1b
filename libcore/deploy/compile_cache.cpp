#include "libcore/deploy/compile_cache.h"

#include "formats/context/sections.h"
#include "formats/native/native.h"
#include "libcore/backend/compile_options.h"
#include "libcore/base/digest.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

constexpr std::string_view magic = "QUERNBLB";

std::string key_of(const Backend& backend, const Graph& partition, const BlobOptions& options) {
    Digest digest;
    digest.update(fmt::format("{} {}\n{} {}\n{}\n{}\n{}\n", QUERN_VERSION, context_isa(), backend.name(), backend.version(), backend.path(),
                              backend.options(), compile_options_json(options)));
    OutputFile file([&](const void* data, size_t size) { digest.update(data, size); });
    Model model;
    model.graph = partition;
    native_format::write(model, file);
    file.commit();
    return digest.hex();
}

}  // namespace

Bytes compile_cached(Backend& backend, const Graph& partition, const BlobOptions& options, const std::string& folder) {
    if (folder.empty()) return backend.compile(partition, options);
    const ProductFolder kept(folder);
    const std::string key = key_of(backend, partition, options);
    const std::string path = fmt::format("{}/{}.blob", folder, key);
    if (file_exists(path)) try {
            const context_format::Sections sections(magic, map_regular(path));
            if (sections.need("key").text() == key) return sections.need("blob");
        } catch (const Error& error) {
            if (error.exit() == Exit::bug) throw;  // else a broken file: it is made again, as one that was renamed
        }
    Bytes blob = backend.compile(partition, options);
    OutputFile file(path);
    context_format::write_sections(magic, {{"key", 0, {Bytes::copy(key.data(), key.size())}}, {"blob", 0, {blob}}}, file);
    file.commit();
    return blob;
}

}  // namespace quern
