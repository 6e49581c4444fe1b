// What quern-foreign is to libquern, this program is to the unit tests: jobs that end in every way (backend_test.cpp).
#include <unistd.h>

#include <array>
#include <csignal>

#include "libcore/base/error.h"
#include "libcore/graph/op.h"
#include "tools/foreign/serve.h"

namespace {

using quern::ChildWork;

void say_hello(ChildWork& work) { work.out().write("hello"); }
void echo(ChildWork& work) {
    for (const std::string& word : work.request()) work.out().write(word + "|");
}
void name_nodes(ChildWork& work) {
    const quern::Graph graph = work.graph();
    for (const quern::NodeId id : graph.order()) work.out().write(graph.node(id).op->name);
}
void talk(ChildWork& work) {
    for (int level = 0; level < 3; ++level) work.log(level, std::string(5000, static_cast<char>('a' + level)));
}
void crash(ChildWork& work) {
    work.stage("compile");
    work.out().write("half");
    ::raise(SIGKILL);
}
void fail(ChildWork&) { throw quern::bad_input("broken"); }
void fail_strangely(ChildWork&) { throw 1; }
void leave(ChildWork&) { ::_exit(7); }
void hang(ChildWork& work) {
    work.stage("create");
    work.remember("out of registers");
    for (;;) ::pause();
}
void meddle(ChildWork&) { (void)!::write(quern::child::report_descriptor, "nonsense that nobody understands", 32); }
// Somebody stays behind who holds everything open.
void leave_another(ChildWork& work) {
    if (::fork() == 0) {
        ::sleep(3);
        ::_exit(0);
    }
    work.out().write("done");
}
void read_input(ChildWork& work) {
    char byte;
    work.out().write(::read(STDIN_FILENO, &byte, 1) == 0 ? "empty" : "there is more");
}

constexpr std::array jobs{quern::ChildJob{"meddle", meddle},
                          quern::ChildJob{"hello", say_hello},
                          quern::ChildJob{"echo", echo},
                          quern::ChildJob{"nodes", name_nodes},
                          quern::ChildJob{"talk", talk},
                          quern::ChildJob{"crash", crash},
                          quern::ChildJob{"fail", fail},
                          quern::ChildJob{"strange", fail_strangely},
                          quern::ChildJob{"leave", leave},
                          quern::ChildJob{"hang", hang},
                          quern::ChildJob{"another", leave_another},
                          quern::ChildJob{"input", read_input}};

}  // namespace

int main(int argc, char** argv) { return quern::serve(argc, argv, jobs); }
