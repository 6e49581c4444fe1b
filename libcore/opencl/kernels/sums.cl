// Integer sums to results: to codes by a factor of float32, or CODED 0 to real numbers.
#ifdef INTEGER
#if CODED
#define PUT_SUM(y, i, sum, factor, grid) y[i] = (TYPE(Y))limited(rint((float)(sum) * (factor)), grid)
#else
#define PUT_SUM(y, i, sum, factor, grid) STORE(Y, y, i, (float)(sum) * (factor), grid)
#endif
#endif
