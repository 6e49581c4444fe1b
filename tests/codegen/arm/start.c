/* Start-up of a Cortex-M (boards of QEMU): vectors, memory, output by semihosting. The test adds main(). */
#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_top, data_from, data_begin, data_end, bss_begin, bss_end;
int main(void);

void *memcpy(void *to, const void *from, size_t count)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    while (count--) *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t count)
{
    volatile unsigned char *t = to;
    while (count--) *t++ = (unsigned char)byte;
    return to;
}

static int semihost(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void print(const char *text)
{
    semihost(4, text);
}

void print_number(uint32_t number)
{
    char text[12];
    int at = 11;
    text[at] = 0;
    do text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    print(text + at);
}

#define SYSTICK ((volatile uint32_t *)0xe000e010)
#define CPACR (*(volatile uint32_t *)0xe000ed88)

/* The timer counts down from 2^24 - 1. */
void begin_count(void)
{
    SYSTICK[1] = 0xffffff;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
}

uint32_t ticks(void)
{
    return 0xffffff - SYSTICK[2];
}

void reset(void)
{
    CPACR |= 0xfU << 20; /* vectors */
    __asm__ volatile("dsb\n\tisb");
    memcpy(&data_begin, &data_from, (size_t)((char *)&data_end - (char *)&data_begin));
    memset(&bss_begin, 0, (size_t)((char *)&bss_end - (char *)&bss_begin));
    main();
    semihost(0x18, (const void *)0x20026);
    for (;;) {
    }
}

static void fault(void)
{
    print("fault\n");
    semihost(0x18, (const void *)0x20023);
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {&stack_top, (const void *)reset, (const void *)fault,
                                                                                (const void *)fault};
