// ZIP archives for tests: stored members, whatever is said of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::test {

struct ZipFile {
    struct Member {
        std::string name, data;
        uint32_t claimed;  // size in the directory
        uint16_t method;
    };
    std::vector<Member> members = {};

    ZipFile& add(std::string name, std::string data, uint16_t method = 0) {
        const auto size = static_cast<uint32_t>(data.size());
        members.push_back({std::move(name), std::move(data), size, method});
        return *this;
    }

    std::string text() const {
        std::string file, directory;
        const auto put = [](std::string& to, uint64_t value, size_t size) {
            for (size_t i = 0; i < size; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
        };
        for (const Member& member : members) {
            const size_t offset = file.size();
            put(file, 0x04034b50, 4);
            file.append(22, '\0');  // versions, flags, method, time, checksum, sizes
            put(file, member.name.size(), 2);
            put(file, 0, 2);
            file += member.name + member.data;
            put(directory, 0x02014b50, 4);
            directory.append(6, '\0');
            put(directory, member.method, 2);
            directory.append(8, '\0');  // time, checksum
            put(directory, member.data.size(), 4);
            put(directory, member.claimed, 4);
            put(directory, member.name.size(), 2);
            directory.append(12, '\0');
            put(directory, offset, 4);
            directory += member.name;
        }
        const size_t start = file.size();
        file += directory;
        put(file, 0x06054b50, 4);
        put(file, 0, 4);
        put(file, members.size(), 2);
        put(file, members.size(), 2);
        put(file, directory.size(), 4);
        put(file, start, 4);
        put(file, 0, 2);
        return file;
    }
    Bytes bytes() const {
        const std::string own = text();
        return Bytes::copy(own.data(), own.size());
    }
};

}  // namespace quern::test
