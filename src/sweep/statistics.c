/* What the values of a sample say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "motet/sweep.h"

static int statistics_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double statistics_quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Student's t for 97.5 %, exact to four digits: a table for few values, then between its entries by 1 / freedom. */
static double statistics_student(size_t freedom)
{
    static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
                                 2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
                                 2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    static const struct {
        double inverse, t;
    } many[] = {{1.0 / 30, 2.0423}, {1.0 / 40, 2.0211}, {1.0 / 60, 2.0003}, {1.0 / 120, 1.9799}, {0, 1.9600}};
    double inverse = 1.0 / (double)freedom;
    size_t i = 1;
    if (freedom <= sizeof few / sizeof *few)
        return few[freedom - 1];
    while (many[i].inverse > inverse)
        i++;
    double part = (many[i - 1].inverse - inverse) / (many[i - 1].inverse - many[i].inverse);
    return many[i - 1].t + part * (many[i].t - many[i - 1].t);
}

struct motet_statistics motet_statistics_of(const double *values, size_t count)
{
    struct motet_statistics s = {.count = count, .mean = NAN, .deviation = NAN, .confidence = NAN};
    s.least = s.low = s.median = s.high = s.most = NAN;
    if (!count)
        return s;
    double *sorted = memory_copy(values, count * sizeof *values), sum = 0, squares = 0;
    qsort(sorted, count, sizeof *sorted, statistics_compare);
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    s.mean = sum / (double)count;
    s.mean = sorted[0] < sorted[count - 1] ? s.mean : sorted[0]; /* without what adding has rounded */
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
    if (count > 1) {
        s.deviation = sqrt(squares / (double)(count - 1));
        s.confidence = statistics_student(count - 1) * s.deviation / sqrt((double)count);
    }
    s.least = sorted[0];
    s.low = statistics_quantile(sorted, count, 0.05);
    s.median = statistics_quantile(sorted, count, 0.5);
    s.high = statistics_quantile(sorted, count, 0.95);
    s.most = sorted[count - 1];
    free(sorted);
    return s;
}
