/* Reads programs. The text is not trusted: numbers, registers and sizes are checked here, and where nests go by abc_check_program(). */
#include "abc_program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REGS = 1 << 20, MAX_PORTS = 256, MAX_COUNT = 1 << 27 };

static const char head[] = "abc 2 ";

int abc_is_program(const void* bytes, size_t size) { return size >= sizeof head - 1 && memcmp(bytes, head, sizeof head - 1) == 0; }

typedef struct {
    abc_program* program;
    char *at, *end; /* of the line that is read */
    size_t line;
    uint64_t numbers; /* in all registers */
} reader;

static quern_status broken(const reader* r, const char* what) { return abc_fail(QUERN_BAD_INPUT, "line %u: %s", (unsigned)r->line, what); }

/* The next word of the line, which ends with a 0; NULL at its end. */
static char* word(reader* r) {
    while (r->at < r->end && *r->at == ' ') ++r->at;
    if (r->at == r->end) return NULL;
    char* first = r->at;
    while (r->at < r->end && *r->at != ' ') ++r->at;
    if (r->at < r->end) *r->at++ = 0;
    return first;
}

static int integers(char* text, char separator, size_t count, int64_t* out) {
    for (size_t i = 0; i < count; ++i) {
        char* stop = NULL;
        errno = 0;
        out[i] = text && *text ? strtoll(text, &stop, 10) : 0;
        if (!stop || stop == text || errno || out[i] > INT32_MAX || out[i] < INT32_MIN || *stop != (i + 1 < count ? separator : 0)) return 0;
        text = stop + 1;
    }
    return 1;
}

static int real(const char* text, double* out) {
    char* stop = NULL;
    if (text && *text) *out = strtod(text, &stop);
    return stop && stop != text && *stop == 0;
}

static int one_of(const char* text, const char* const* names, int count) {
    for (int i = 0; text && i < count; ++i)
        if (strcmp(text, names[i]) == 0) return i;
    return -1;
}

/* "%7"; `count` > 0: declares it, else it must have been. */
static quern_status read_reg(reader* r, int64_t count, uint32_t* out) {
    abc_program* p = r->program;
    int64_t number = -1;
    char* text = word(r);
    if (!text || *text != '%' || !integers(text + 1, 0, 1, &number) || number < 0 || number >= MAX_REGS) return broken(r, "need a register");
    if (number >= p->reg_count) {
        if (count <= 0) return broken(r, "the register has no numbers yet");
        abc_reg* grown = realloc(p->regs, ((size_t)number + 1) * sizeof *grown);
        if (!grown) return abc_fail(QUERN_IO, "out of memory");
        memset(grown + p->reg_count, 0, ((size_t)number + 1 - p->reg_count) * sizeof *grown);
        p->regs = grown;
        p->reg_count = (uint32_t)number + 1;
    }
    abc_reg* reg = &p->regs[number];
    *out = (uint32_t)number;
    if (count <= 0) return reg->count ? QUERN_OK : broken(r, "the register has no numbers yet");
    if (reg->count) return reg->count == (size_t)count && !reg->constant ? QUERN_OK : broken(r, "the register is declared twice");
    r->numbers += (uint64_t)count;
    if (count > MAX_COUNT || r->numbers > MAX_COUNT) return broken(r, "too many numbers");
    reg->count = (size_t)count;
    return QUERN_OK;
}

/* ---- ports and constants ---- */

typedef struct {
    abc_value value;
    int32_t dtype; /* of the bytes */
    size_t count;
    char *name, *scale, *zero, *hex;
    int64_t axis;
} declaration;

static int read_dims(char* text, declaration* d) {
    d->count = 1;
    if (!text) return 0;
    if (strcmp(text, "scalar") == 0) return 1;
    for (char* part = text; part; ++d->value.rank) {
        char* next = strchr(part, 'x');
        if (next) *next++ = 0;
        int64_t dim = 0;
        if (d->value.rank == ABC_MAX_RANK || !integers(part, 0, 1, &dim) || dim < 1) return 0;
        d->value.dims[d->value.rank] = dim;
        d->count *= (size_t)dim;
        if (d->count > MAX_COUNT) return 0;
        part = next;
    }
    return 1;
}

static const char* const types[] = {"float32", "int8", "uint8", "int16", "int32", "int64"};
static const int32_t type_codes[] = {QUERN_FLOAT32, QUERN_INT8, QUERN_UINT8, QUERN_INT16, QUERN_INT32, QUERN_INT64};
static const size_t type_sizes[] = {4, 1, 1, 2, 4, 8};

/* What follows "word %n". */
static quern_status read_declaration(reader* r, char* type, declaration* d) {
    const int kind = one_of(type, types, sizeof types / sizeof *types);
    if (kind < 0) return broken(r, "need a type");
    d->dtype = type_codes[kind];
    if (!read_dims(word(r), d)) return broken(r, "need dims");
    d->axis = -1;
    d->value.dtype = QUERN_FLOAT32;
    for (char* text = word(r); text; text = word(r)) {
        int64_t* whole = strncmp(text, "qmin=", 5) == 0 ? &d->value.qmin : strncmp(text, "qmax=", 5) == 0 ? &d->value.qmax : NULL;
        if (strncmp(text, "axis=", 5) == 0) whole = &d->axis;
        if (strncmp(text, "name=", 5) == 0)
            d->name = text + 5;
        else if (strncmp(text, "scale=", 6) == 0)
            d->scale = text + 6;
        else if (strncmp(text, "zero=", 5) == 0)
            d->zero = text + 5;
        else if (strncmp(text, "hex=", 4) == 0)
            d->hex = text + 4;
        else if (!whole || !integers(text + 5, 0, 1, whole))
            return broken(r, "need name=, scale=, zero=, axis=, qmin=, qmax= or hex=");
    }
    return d->axis < d->value.rank ? QUERN_OK : broken(r, "need an axis");
}

/* The next number of a list with commas; *text moves on. */
static int next_real(char** text, double* out) {
    char* first = *text;
    if (!first) return 0;
    char* comma = strchr(first, ',');
    if (comma) *comma = 0;
    *text = comma ? comma + 1 : NULL;
    return real(first, out);
}

static int hex_value(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static double element(int32_t dtype, const unsigned char* bytes) {
    union {
        unsigned char bytes[8];
        float f32;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } u;
    memcpy(u.bytes, bytes, 8);
    switch (dtype) {
        case QUERN_FLOAT32: return u.f32;
        case QUERN_INT8: return u.i8;
        case QUERN_UINT8: return u.bytes[0];
        case QUERN_INT16: return u.i16;
        case QUERN_INT32: return u.i32;
        default: return (double)u.i64;
    }
}

static quern_status read_numbers(reader* r, const declaration* d, size_t size, double* out) {
    if (!d->hex) return broken(r, "the program has no bytes of constants");
    if (strlen(d->hex) != 2 * size * d->count) return broken(r, "too many or too few bytes");
    for (size_t i = 0; i < d->count; ++i) {
        unsigned char bytes[8] = {0};
        for (size_t k = 0; k < size; ++k) {
            const int high = hex_value(d->hex[2 * (i * size + k)]), low = hex_value(d->hex[2 * (i * size + k) + 1]);
            if (high < 0 || low < 0) return broken(r, "need hex digits");
            bytes[k] = (unsigned char)(high * 16 + low);
        }
        out[i] = element(d->dtype, bytes);
    }
    return QUERN_OK;
}

/* Codes become numbers: a scale and a zero point for all, or for each slice along the axis. */
static quern_status decode(reader* r, declaration* d, double* numbers) {
    const size_t slices = d->axis < 0 ? 1 : (size_t)d->value.dims[d->axis];
    size_t inner = 1;
    for (int32_t i = (int32_t)d->axis + 1; i < d->value.rank; ++i) inner *= (size_t)d->value.dims[i];
    for (size_t slice = 0; slice < slices; ++slice) {
        double scale = 0, zero = 0;
        if (!next_real(&d->scale, &scale) || !next_real(&d->zero, &zero)) return broken(r, "too few scales");
        for (size_t i = slice * inner; i < d->count; i += slices * inner)
            for (size_t k = 0; k < inner; ++k) numbers[i + k] = (numbers[i + k] - zero) * scale;
    }
    return QUERN_OK;
}

static quern_status read_constant(reader* r, char* type, uint32_t reg, declaration* d) {
    (void)type;
    size_t size = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (type_codes[i] == d->dtype) size = type_sizes[i];
    double* numbers = malloc(d->count * sizeof *numbers);
    if (!numbers) return abc_fail(QUERN_IO, "out of memory");
    r->program->regs[reg].constant = numbers;
    const quern_status status = read_numbers(r, d, size, numbers);
    return status == QUERN_OK && d->scale ? decode(r, d, numbers) : status;
}

/* Percent escapes back to bytes; `names` has room. */
static void put_name(abc_program* p, abc_value* value, const char* text) {
    value->name = p->name_size;
    for (; text && *text; ++text) {
        char c = *text;
        if (c == '%' && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0) {
            c = (char)(hex_value(text[1]) * 16 + hex_value(text[2]));
            text += 2;
        }
        p->names[p->name_size++] = c;
    }
    value->name_size = p->name_size - value->name;
    p->names[p->name_size++] = 0;
}

static quern_status read_port(reader* r, int output, uint32_t reg, declaration* d) {
    abc_program* p = r->program;
    const uint32_t index = p->header.value_count;
    if (index == MAX_PORTS) return broken(r, "too many inputs and outputs");
    double scale = 0, zero = 0;
    if (d->scale && (!next_real(&d->scale, &scale) || !next_real(&d->zero, &zero) || !(scale > 0))) return broken(r, "need scale= and zero=");
    if (!d->scale && scale == 0 && d->dtype != QUERN_FLOAT32) return broken(r, "need float32, or codes");
    if (scale > 0) {
        if (d->dtype != QUERN_INT8 && d->dtype != QUERN_UINT8 && d->dtype != QUERN_INT16) return broken(r, "codes are int8, uint8 or int16");
        d->value.storage = d->dtype;
        d->value.scale = (float)scale;
        d->value.zero = (int32_t)zero;
    }
    p->values[index] = d->value;
    put_name(p, &p->values[index], d->name);
    p->port_regs[index] = reg;
    p->ends[index] = index;
    ++p->header.value_count;
    if (!output && p->header.output_count > 0) return broken(r, "inputs come before outputs");
    ++*(output ? &p->header.output_count : &p->header.input_count);
    return QUERN_OK;
}

/* ---- instructions ---- */

static quern_status add_instruction(reader* r, const abc_instruction* instruction) {
    abc_program* p = r->program;
    if (p->instruction_count == p->instruction_capacity) {
        p->instruction_capacity = p->instruction_capacity ? 2 * p->instruction_capacity : 64;
        abc_instruction* grown = realloc(p->instructions, p->instruction_capacity * sizeof *grown);
        if (!grown) return abc_fail(QUERN_IO, "out of memory");
        p->instructions = grown;
    }
    p->instructions[p->instruction_count++] = *instruction;
    return QUERN_OK;
}

static quern_status read_fill(reader* r) {
    abc_instruction i = {.kind = ABC_FILL};
    char* name = word(r);
    char* count = word(r);
    int64_t numbers = 0;
    if (!name || !integers(count, 0, 1, &numbers) || numbers < 1 || !real(word(r), &i.x[0])) return broken(r, "need a register, a count and a number");
    reader again = *r;
    again.at = name;
    again.end = name + strlen(name);
    const quern_status status = read_reg(&again, numbers, &i.reg[0]);
    r->numbers = again.numbers;
    return status == QUERN_OK ? add_instruction(r, &i) : status;
}

static quern_status read_nest(reader* r) {
    static const char* const gathers[] = {"set", "sum", "max"};
    static const char* const ops[] = {"first", "add", "sub", "mul", "div", "max"};
    abc_instruction i = {.kind = ABC_NEST};
    i.gather = one_of(word(r), gathers, 3);
    i.op = one_of(word(r), ops, 6);
    if (i.gather < 0 || i.op < 0) return broken(r, "need what to gather and what to compute");
    for (int k = 0; k < 3; ++k) {
        const quern_status status = read_reg(r, 0, &i.reg[k]);
        if (status != QUERN_OK) return status;
    }
    if (!integers(word(r), ':', 3, i.begin)) return broken(r, "need where it begins");
    for (char* text = word(r); text && strcmp(text, "prefetch") != 0; text = word(r)) {
        int64_t loop[4];
        if (i.loops == ABC_MAX_LOOPS || !integers(text, ':', 4, loop) || loop[0] < 1) return broken(r, "need loops");
        i.turns[i.loops] = loop[0];
        for (int k = 0; k < 3; ++k) i.step[k][i.loops] = loop[k + 1];
        ++i.loops;
    }
    return add_instruction(r, &i);
}

static quern_status read_map(reader* r) {
    static const char* const maps[] = {"relu", "neg", "tanh", "sigmoid", "exp", "round"};
    abc_instruction i = {.kind = ABC_MAP};
    i.op = one_of(word(r), maps, 6);
    if (i.op < 0) return broken(r, "need what to compute");
    const quern_status status = read_reg(r, 0, &i.reg[0]);
    for (int k = 0; k < 4 && i.op == ABC_MAP_ROUND; ++k)
        if (!real(word(r), &i.x[k])) return broken(r, "need scale, zero point and the range of codes");
    return status == QUERN_OK ? add_instruction(r, &i) : status;
}

static quern_status read_line(reader* r) {
    char* what = word(r);
    if (!what) return QUERN_OK;
    if (strcmp(what, "fill") == 0) return read_fill(r);
    if (strcmp(what, "nest") == 0) return read_nest(r);
    if (strcmp(what, "map") == 0) return read_map(r);
    const int input = strcmp(what, "input") == 0, output = strcmp(what, "output") == 0;
    if (!input && !output && strcmp(what, "const") != 0) return broken(r, "is none of the machine's instructions");
    char* name = word(r);
    char* type = word(r);
    declaration d = {0};
    quern_status status = name ? read_declaration(r, type, &d) : broken(r, "need a register");
    uint32_t reg = 0;
    reader again = *r;
    again.at = name;
    again.end = name ? name + strlen(name) : NULL;
    if (status == QUERN_OK) status = read_reg(&again, output ? 0 : (int64_t)d.count, &reg);
    r->numbers = again.numbers;
    if (status != QUERN_OK) return status;
    if (output && r->program->regs[reg].count != d.count) return broken(r, "the register has another size");
    return input || output ? read_port(r, output, reg, &d) : read_constant(r, type, reg, &d);
}

void abc_free_program(abc_program* p) {
    if (!p) return;
    for (uint32_t i = 0; i < p->reg_count; ++i) free(p->regs[i].constant);
    free(p->regs);
    free(p->instructions);
    free(p->port_regs);
    free(p->values);
    free(p->ends);
    free(p->names);
    free(p);
}

quern_status abc_parse(const void* bytes, size_t size, abc_program** out, abc_blob* ports) {
    abc_program* p = calloc(1, sizeof *p);
    char* text = malloc(size + 1);
    if (p) {
        p->values = calloc(MAX_PORTS, sizeof *p->values);
        p->ends = calloc(MAX_PORTS, sizeof *p->ends);
        p->port_regs = calloc(MAX_PORTS, sizeof *p->port_regs);
        p->names = calloc(size + MAX_PORTS, 1);
    }
    *out = p;
    quern_status status = QUERN_OK;
    if (!p || !text || !p->values || !p->ends || !p->port_regs || !p->names) status = abc_fail(QUERN_IO, "out of memory");
    if (status == QUERN_OK) {
        memcpy(text, bytes, size);
        text[size] = 0;
    }
    reader r = {p, text, text, 2, 0};
    for (char* next = status == QUERN_OK ? memchr(text, '\n', size) : NULL; status == QUERN_OK && next; ++r.line) {
        r.at = next + 1;
        next = memchr(r.at, '\n', size - (size_t)(r.at - text));
        r.end = next ? next : text + size;
        *r.end = 0;
        status = read_line(&r);
    }
    free(text);
    if (status == QUERN_OK) status = abc_check_program(p);
    if (status != QUERN_OK) return status;
    const abc_blob shown = {(const unsigned char*)p->names, &p->header, p->values, NULL, p->ends, p->ends + p->header.input_count};
    *ports = shown;
    return QUERN_OK;
}
