// The protocol, version 1, by which a tool has an outside back end run in a process of its own (remote.h asks, tools/foreign/execute.cpp
// answers). Messages are JSON (wire.h), one answer to each request, over sockets: the first one for the back end, one more for each
// session, on which a thread of the helper serves it. Tensors lie in memory that both see: memfds, which nobody has to remove.
//
//     first socket                                                    answer
//     {"ask": "create", "version": 1, "path", "name", "options"}      {"version": 1}
//         with descriptors: states (below)
//     {"ask": "load", "path", "part"}                                 {"executable": N, "inputs": [name], "outputs": [name]}
//         with descriptors: blob ("path" instead of what is in it,
//         if not ""), ports (an empty file: the answer in the
//         native format, values "0" ... in this order)
//     {"ask": "choices", "executable": N}                             {"choices": [[node, op, kernel, refusals, real]]}
//     {"ask": "unload", "executable": N}                              {}
//     {"ask": "destroy"}                                              {}
//     {"ask": "open", "executable": N, "slot": S, "threads", ...}     {}
//         with descriptors: the session's socket, memory of inputs,
//         memory of outputs
//
//     {"ask": "operators", "version": 1, "path"}                      {"version": 1, "operators": [{...}]}: op_facts.h
//         in place of "create", with descriptors: states
//     {"ask": "infer"}                                                {"outputs": [index]}
//         with descriptors: node (a graph of it in the native
//         format), types (an empty file: a graph whose inputs have
//         the types of the outputs that were given)
//     {"ask": "eval", "codes": bool, "values": [value]}               {"outputs": [index], "values": [value]}
//         with descriptors: node (with the encodings of its values),
//         memory of inputs (those that are there), of outputs
//
//     a session's socket                                              answer
//     {"ask": "run", "values": [value], "apart": bool}                {"values": [value]}
//     {"ask": "times"}                                                {"times": [[node, op, kernel, seconds, calls]]}
//     {"ask": "memory"}                                               {"bytes": N}
//     {"ask": "timing", "on": bool}                                   {}
//     {"ask": "link", "index": I, "from": S, "output": O}             {"linked": bool}
//         the input is what the session of slot S has as that output
//     {"ask": "keep", "index": I}                                     {}
//     {"ask": "close"}                                                {}
//
// A value is a list of tensors, the value's own and, with a dynamic encoding, its scale and zero point; a tensor is [type, dims, bytes], in
// memory one after the other from a multiple of 64 bytes on; one that stays on the device is of type "none". What fails answers {"error":
// message, "exit": code, "hint": text}. Before an answer any number of {"log": text, "level": N} may come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace quern::run_protocol {

inline constexpr int version = 1;
inline constexpr int socket_descriptor = 3;  // where the helper finds the first socket
inline constexpr uint32_t magic = 0x31726e71;
inline constexpr size_t longest_message = 64 << 20;

// What the helper is doing, in shared memory, so that it can be told after its death: the function of the back end that each socket is in,
// and where a signal or exit() came. Slot 0 is the first socket's.
inline constexpr int slots = 256;
struct States {
    std::array<std::array<char, 32>, slots> call{};  // "": none
    int32_t ended = -1;                              // slot
};

}  // namespace quern::run_protocol
