// HDF5 files of any bytes. libhdf5 reads in a process of its own, so what it crashes on must come back as a refusal; inputs are run
// through it, not led by what they reach in it.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "formats/hdf5/hdf5.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    static const std::string path = "/tmp/quern-hdf5-fuzz-" + std::to_string(::getpid());
    if (!is_hdf5(Bytes::borrow(data, size))) return 0;
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    expect_only_refusals([&] {
        constexpr int seconds = 10;
        const Hdf5File file(path, Hdf5File::hdf5_program(), seconds);
        for (size_t i = 0; i < std::min<size_t>(file.datasets().size(), 8); ++i) {
            const Tensor row = file.rows(i, 0, 1);
            if (row.data.size() != storage_size(row.dtype, static_cast<uint64_t>(row.count()))) std::abort();
        }
    });
    ::unlink(path.c_str());
    return 0;
}
