/* A program that uses oneDNN beside quern: what it does with it stays with its OpenMP, while a session is open and after it is closed.
 * usage: beside_onednn NET OWN-THREADS, with OMP_NUM_THREADS=OWN-THREADS; NET has inputs float[400, 300] and float[300, 500]. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "quern/quern.h"

enum { N = 256 };
typedef int Sgemm(char, char, long, long, long, float, const float*, long, const float*, long, float, float*, long);

static float a[N * N], b[N * N], c[N * N];
static float x[400 * 300], y[300 * 500], z[400 * 500];

static void check(int right, const char* what) {
    if (right) return;
    fprintf(stderr, "beside oneDNN: %s: %s\n", what, quern_last_error());
    exit(1);
}

static void multiply(int own_threads) {
    void* library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_NOLOAD);
    if (!library) library = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_NOLOAD);
    check(library != NULL, "oneDNN is not loaded");
    void* gomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
    check(gomp != NULL, "libgomp is not loaded");
    Sgemm* sgemm = (Sgemm*)dlsym(library, "dnnl_sgemm");
    int (*threads)(void) = (int (*)(void))dlsym(gomp, "omp_get_max_threads");
    check(sgemm && threads, "functions");
    check(threads() == own_threads, "OpenMP has another number of threads");
    for (int i = 0; i < N * N; ++i) a[i] = b[i] = 1;
    check(sgemm('N', 'N', N, N, N, 1, a, N, b, N, 0, c, N) == 0, "sgemm");
    for (int i = 0; i < N * N; ++i) check(c[i] == N, "a sum");
}

int main(int argc, char** argv) {
    check(argc == 3, "usage");
    const int own_threads = atoi(argv[2]);
    for (int round = 0; round < 20; ++round) {
        quern_inference_session* session = NULL;
        check(quern_create_session(&session) == QUERN_OK, "create");
        check(quern_load_model_from_file(session, argv[1]) == QUERN_OK, "load");
        check(quern_set_threads(session, 2) == QUERN_OK, "threads");
        check(quern_prepare(session) == QUERN_OK, "prepare");
        check(quern_set_input(session, 0, QUERN_FLOAT32, x, sizeof x) == QUERN_OK, "input 0");
        check(quern_set_input(session, 1, QUERN_FLOAT32, y, sizeof y) == QUERN_OK, "input 1");
        check(quern_set_output(session, 0, QUERN_FLOAT32, z, sizeof z) == QUERN_OK, "output");
        check(quern_run(session) == QUERN_OK, "run");
        multiply(own_threads);
        quern_close_session(session);
        multiply(own_threads);
    }
    return 0;
}
