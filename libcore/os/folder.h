// Files that another file or a folder names: regular ones, never outside of its folder.
//
// A link may lead elsewhere within the folder, into the folder where the file itself really lies, and into the blobs of the Hugging Face
// cache (snapshots/REVISION/net.onnx.data -> ../../blobs/...); further only with --follow-links.
//
// And folders of products.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

// The real path of `location`, relative to `folder` ("" is the current one). Throws Exit::bad_input if it is not a relative path, is not a
// file, or leaves the folder, through a link, too.
std::string path_inside(const std::string& folder, const std::string& location);
// What lies there, mapped.
Bytes map_inside(const std::string& folder, const std::string& location);
// The same for what `file`, which the user named, names by `location`: in its folder.
Bytes map_beside(const std::string& file, const std::string& location);

// Links may lead anywhere: --follow-links. QUERN_FOLLOW_LINKS=1 does it, too.
void follow_links();

// Folders for products, made with their parents; what is still empty when this ends is removed again. Errors: Exit::io.
class ProductFolder {
   public:
    explicit ProductFolder(const std::string& path) { add(path); }
    ~ProductFolder();
    ProductFolder(const ProductFolder&) = delete;
    ProductFolder& operator=(const ProductFolder&) = delete;
    void add(const std::string& path);

   private:
    std::vector<std::string> made_;  // the innermost first
};

}  // namespace quern
