#include "tests/codegen/arm.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "libcore/base/error.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

std::string byte_array(const std::string& name, const Bytes& bytes) {
    std::string text = fmt::format("static const unsigned char {}[] __attribute__((aligned(8))) = {{", name);
    for (size_t i = 0; i < bytes.size(); ++i) text += fmt::format("{}{},", i % 24 == 0 ? "\n" : "", std::to_integer<int>(bytes.data()[i]));
    return text + "\n};\n";
}

// A program that runs the model on one sample and counts the bytes (of codes) or the numbers that are wrong.
std::string arm_main(const std::vector<Tensor>& in, const std::vector<Tensor>& wanted) {
    std::string text =
        "#include \"net.h\"\n\nvoid print(const char *text);\nvoid print_number(uint32_t number);\nvoid begin_count(void);\nuint32_t "
        "ticks(void);\n\n";
    std::string ins, outs;
    for (size_t i = 0; i < in.size(); ++i) {
        text += byte_array(fmt::format("in{}", i), in[i].data);
        ins += fmt::format("in{}, ", i);
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
        text += byte_array(fmt::format("wanted{}", i), wanted[i].data);
        text += fmt::format("static unsigned char out{}[{}] __attribute__((aligned(8)));\n", i, wanted[i].data.size());
        outs += fmt::format("out{}, ", i);
    }
    text += "\nint main(void)\n{\n    static const void *const inputs[] = {" + ins + "};\n    static void *const outputs[] = {" + outs +
            "};\n    uint32_t wrong = 0, passed, i;\n    begin_count();\n    net_invoke(inputs, outputs);\n    passed = ticks();\n";
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (is_float(wanted[i].dtype))
            text += fmt::format(
                "    {{\n        const float *a = (const float *)(const void *)wanted{0}, *b = (const float *)(const void *)out{0};\n"
                "        float most = 0.0f;\n"
                "        for (i = 0; i < {1}; ++i) most = a[i] > most ? a[i] : -a[i] > most ? -a[i] : most;\n"
                "        for (i = 0; i < {1}; ++i) wrong += !((a[i] - b[i] <= 1e-5f * most && b[i] - a[i] <= 1e-5f * most) || (a[i] != "
                "a[i] && b[i] != b[i]));\n    }}\n",
                i, wanted[i].count());
        else
            text += fmt::format("    for (i = 0; i < sizeof wanted{0}; ++i) wrong += wanted{0}[i] != out{0}[i];\n", i);
    }
    return text +
           "    print_number(wrong);\n    print(\" wrong\\n\");\n    print_number(passed);\n    print(\" ticks\\n\");\n    return 0;\n}\n";
}

}  // namespace

int shell(const std::string& command) { return std::system(command.c_str()); }

std::span<const ArmBoard> arm_boards() {
    static constexpr std::array boards{
        ArmBoard{"cortex-m3", "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb", "start.c", "link.ld", "mps2-an385", 40},
        ArmBoard{"cortex-m4", "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb", "start.c", "link.ld", "mps2-an386", 40},
        ArmBoard{"cortex-m55", "arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard", "start.c", "link_m55.ld", "mps3-an547",
                 31.25},
        ArmBoard{"aarch64", "aarch64-linux-gnu-gcc -march=armv8.2-a+dotprod", "linux.c", "", "", 0},
    };
    return boards;
}

const ArmBoard* arm_board(std::string_view name) {
    for (const ArmBoard& board : arm_boards())
        if (board.name == name) return &board;
    throw usage_error("no board is named \"{}\"", name);
}

bool has_arm_tools() { return shell("command -v arm-none-eabi-gcc qemu-system-arm > /dev/null") == 0; }

std::string check_on_arm(const ArmBoard& board, const std::string& folder, bool freestanding, const std::vector<Tensor>& in,
                         const std::vector<Tensor>& wanted) {
    write_output(folder + "/main.c", arm_main(in, wanted));
    const std::string cc = fmt::format("{} -O2 -std=c99 -ffunction-sections", board.compiler), files = QUERN_ARM_BOARD;
    const bool bare = !board.script.empty();
    const std::string link =
        bare ? fmt::format("-nostartfiles {} -Wl,--gc-sections -T {}/{}", freestanding ? "-nostdlib" : "", files, board.script) : "-static";
    const std::string run = bare ? fmt::format(
                                       "qemu-system-arm -M {} -icount shift=0 -nographic -semihosting-config "
                                       "enable=on,target=native -kernel net.elf",
                                       board.machine)
                                 : "qemu-aarch64 -cpu max ./net.elf";
    const std::string command = fmt::format(
        "cd {1} && {0} -Wall -Wextra -Werror -pedantic{3} -c net.c && {0} -ffreestanding -c main.c && "
        "{0} -ffreestanding -fno-builtin -c {2}/{4} -o start.o && "
        "{0} {5} -o net.elf net.o main.o start.o {6} -lgcc && timeout 300 {7} 2> arm.txt",
        cc, folder, files, freestanding ? " -ffreestanding" : "", board.start, link, freestanding ? "" : "-lm -lc", run);
    if (shell(command) != 0) return fmt::format("{}: does not build or run", board.name);
    const std::string said(map_input(folder + "/arm.txt").text());
    unsigned long ticks = 0;
    if (std::sscanf(said.c_str(), "0 wrong\n%lu ticks", &ticks) != 1) return fmt::format("{}: {}", board.name, said);
    const double instructions = static_cast<double>(ticks) * board.instructions_of_tick;
    fmt::print("  {}: the same{}\n", board.name, instructions > 0 ? fmt::format(", {:.0f} instructions", instructions) : "");
    return {};
}

}  // namespace quern
