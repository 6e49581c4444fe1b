// Members of PyTorch's archives.
#pragma once

#include <map>
#include <string>

#include "formats/archive/zip.h"

namespace quern::torch_format {

// A member's bytes, under its name in errors. Throws Exit::unsupported where the archive's deflated members grow beyond all proportion.
Bytes read_member(const ZipArchive& zip, const ZipArchive::Member& member);

// Members that are asked for again and again by their names, and read once.
class Members {
   public:
    explicit Members(const ZipArchive& zip) : zip_(zip) {}
    const Bytes& read(const std::string& name);  // which must be there

   private:
    const ZipArchive& zip_;
    std::map<std::string, Bytes> read_;
};

}  // namespace quern::torch_format
