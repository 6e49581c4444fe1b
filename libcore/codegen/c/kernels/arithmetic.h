/* Functions of two numbers that are more than an expression. */

/* kernel whole_quotient */
/* Truncated; of a division by zero 0. */
static @A@ @name@(@A@ u, @A@ v)
{
    if (v == 0) return 0;
    if (@minus_one@) return (@A@)(0 - (uint64_t)u);
    return (@A@)(u / v);
}

/* kernel whole_remainder */
/* Of a division by zero 0. */
static @A@ @name@(@A@ u, @A@ v)
{
    @A@ rest;
    if (v == 0 || @minus_one@) return 0;
    rest = (@A@)(u % v);
    return @opposite@ ? (@A@)(rest + v) : rest;
}

/* kernel real_remainder */
static @A@ @name@(@A@ u, @A@ v)
{
    const @A@ rest = @fmodf@(u, v);
    return @opposite@ ? rest + v : rest;
}

/* kernel whole_power_of */
/* u to the power v, wrapping around. */
static @A@ @name@(@A@ u, int64_t v)
{
    uint64_t power = 1, factor = (uint64_t)u, left;
    if (v < 0) return u == 1 ? 1 : u == -1 ? (v % 2 ? -1 : 1) : 0;
    for (left = (uint64_t)v; left; left >>= 1) {
        if (left & 1) power *= factor;
        factor *= factor;
    }
    return (@A@)power;
}
