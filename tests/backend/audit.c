/* An auditor of the dynamic linker (LD_AUDIT): writes "PROGRAM OBJECT" of each object that a process opens to the file $AUDIT_LOG. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1; /* opened before the program may lose the right to */
static char program[4096];

unsigned la_version(unsigned version) {
    const char* name = getenv("AUDIT_LOG");
    const int opened = name ? open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (opened >= 0) {
        file = fcntl(opened, F_DUPFD_CLOEXEC, 200);
        close(opened);
    }
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = 0;
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
    (void)space, (void)cookie;
    char line[8300];
    const size_t a = strlen(program), b = strlen(map->l_name);
    if (file < 0 || b == 0 || a + b + 2 > sizeof line) return 0;
    memcpy(line, program, a);
    line[a] = ' ';
    memcpy(line + a + 1, map->l_name, b);
    line[a + 1 + b] = '\n';
    if (write(file, line, a + b + 2) < 0) _exit(99);
    return 0;
}
