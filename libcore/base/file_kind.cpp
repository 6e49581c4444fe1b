#include "libcore/base/file_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "libcore/base/error.h"

namespace quern {
namespace {

struct Kind {
    std::string_view magic, name, advice;
    size_t at = 0;
    std::string_view begin = {};
};

using namespace std::string_view_literals;

constexpr std::string_view sample = "which can be a sample only", coded = "which has to be decoded into numbers first",
                           packed = "which has to be unpacked first", other = "which is not read",
                           exported = "whose model has to be exported to ONNX first";
constexpr std::array kinds{
    Kind{"\xff\xd8\xff"sv, "a JPEG image", sample},
    Kind{"\x89PNG\r\n\x1a\n"sv, "a PNG image", sample},
    Kind{"GIF8"sv, "a GIF image", coded},
    Kind{"WEBP"sv, "a WebP image", coded, 8},
    Kind{"II*\0"sv, "a TIFF image", coded},
    Kind{"MM\0*"sv, "a TIFF image", coded},
    Kind{"P5\n"sv, "a PGM image", sample},
    Kind{"P6\n"sv, "a PPM image", sample},
    Kind{"\0\0\0\0"sv, "a BMP image", sample, 6, "BM"},
    Kind{"WAVE"sv, "a WAV file", sample, 8},
    Kind{"fLaC"sv, "a FLAC file", coded},
    Kind{"OggS"sv, "an Ogg file", coded},
    Kind{"\x1f\x8b"sv, "a gzip file", packed},
    Kind{"\x28\xb5\x2f\xfd"sv, "a zstd file", packed},
    Kind{"\xfd\x37zXZ\0"sv, "an xz file", packed},
    Kind{"BZh"sv, "a bzip2 file", packed},
    Kind{"PK\3\4"sv, "a zip archive", packed},
    Kind{"PK\5\6"sv, "a zip archive", "which is empty"},
    Kind{"ustar"sv, "a tar archive", packed, 257},
    Kind{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", sample},
    Kind{"%PDF"sv, "a PDF document", other},
    Kind{"<!DOCTYPE"sv, "an HTML page", other},
    Kind{"<html"sv, "an HTML page", other},
    Kind{"version https://git-lfs"sv, "a pointer of Git LFS", "whose file has to be fetched first (git lfs pull)"},
    Kind{"\x93NUMPY"sv, "a NumPy array", "which is read as a sample if its name ends in .npy"},
    Kind{"\x80\2}"sv, "a pickle of Python", exported},
    Kind{"\x80\4\x95"sv, "a pickle of Python", exported},
};

}  // namespace

std::string file_kind(std::string_view text) {
    for (const Kind& kind : kinds)
        if (text.size() > kind.at && text.starts_with(kind.begin) && text.substr(kind.at).starts_with(kind.magic))
            return std::string(kind.name) + ", " + std::string(kind.advice);
    return "";
}

void refuse_other_kind(std::string_view bytes) {
    if (const std::string kind = file_kind(bytes); !kind.empty()) throw bad_input("is {}", kind);
}

bool has_suffix(std::string_view name, std::string_view suffix) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return name.size() >= suffix.size() && std::ranges::equal(name.substr(name.size() - suffix.size()), suffix, {}, lower, lower);
}

bool is_number_text(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return "0123456789+-.eE, \t\r\n;[]{}\":"sv.find(c) != std::string_view::npos; });
}

}  // namespace quern
