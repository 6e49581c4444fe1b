/* A library that nobody asked for: it is a back end, an op package, a codegen plugin and a model library by its names, and loading it
 * leaves the file $EVIL_MARK. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void) {
    const char* mark = getenv("EVIL_MARK");
    const int file = mark ? open(mark, O_WRONLY | O_CREAT, 0600) : -1;
    if (file >= 0) close(file);
}

void* quern_backend_entry(unsigned abi) { return (void)abi, (void*)0; }
void* quern_op_package_entry(unsigned abi) { return (void)abi, (void*)0; }
void* quern_codegen_entry(unsigned abi) { return (void)abi, (void*)0; }
int quern_model_compose(const void* builder, void* graph) { return (void)builder, (void)graph, 1; }
