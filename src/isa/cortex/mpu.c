#include "isa/cortex/mpu.h"

#include "node/machine.h"
#include "node/map.h"

enum { ENABLE = 1, IN_HARD_FAULT = 2, DEFAULT_MAP = 4, REGION_ENABLE = 1 };
enum { MAY_READ = 1, MAY_WRITE = 2, SMALLEST = 32 /* bytes of a region */, SMALLEST_WITH_PARTS = 256 };

/* Permissions by AP: of privileged code, of unprivileged code. */
static const uint8_t cortex_mpu_permissions[8][2] = {
    {0, 0},
    {MAY_READ | MAY_WRITE, 0},
    {MAY_READ | MAY_WRITE, MAY_READ},
    {MAY_READ | MAY_WRITE, MAY_READ | MAY_WRITE},
    {0, 0},
    {MAY_READ, 0},
    {MAY_READ, MAY_READ},
    {MAY_READ, MAY_READ},
};

static uint64_t cortex_mpu_size(uint32_t attributes)
{
    return UINT64_C(2) << (attributes >> 1 & 31);
}

static bool cortex_mpu_covers(const struct cortex_cpu *cpu, unsigned region, uint32_t address)
{
    uint32_t attributes = cpu->mpu_rasr[region];
    uint64_t size = cortex_mpu_size(attributes);
    uint32_t base = cpu->mpu_rbar[region] & ~(uint32_t)(size - 1), within = address - base;
    if (!(attributes & REGION_ENABLE) || within >= size)
        return false;
    return size < SMALLEST_WITH_PARTS || !(attributes >> (8 + within / (uint32_t)(size / 8)) & 1);
}

/* The region with the highest number decides; -1: none. */
static int cortex_mpu_region(const struct cortex_cpu *cpu, uint32_t address)
{
    for (int region = CORTEX_MPU_REGIONS - 1; region >= 0; region--)
        if (cortex_mpu_covers(cpu, (unsigned)region, address))
            return region;
    return -1;
}

static bool cortex_mpu_permits(const struct cortex_cpu *cpu, uint32_t address, bool privileged,
                               enum cortex_mpu_access access)
{
    int region = cortex_mpu_region(cpu, address);
    if (region < 0)
        return privileged && cpu->mpu_ctrl & DEFAULT_MAP;
    uint32_t attributes = cpu->mpu_rasr[region];
    unsigned may = cortex_mpu_permissions[attributes >> 24 & 7][!privileged];
    if (access == CORTEX_MPU_EXECUTE)
        return may & MAY_READ && !(attributes >> 28 & 1);
    return may & (access == CORTEX_MPU_WRITE ? MAY_WRITE : MAY_READ);
}

static bool cortex_mpu_works(const struct cortex_cpu *cpu)
{
    bool fault = cpu->exception == CORTEX_NMI || cpu->exception == CORTEX_HARD_FAULT || cpu->faultmask;
    return cpu->mpu_ctrl & ENABLE && (!fault || cpu->mpu_ctrl & IN_HARD_FAULT);
}

bool cortex_mpu_allows(const struct node *n, uint32_t address, unsigned size, enum cortex_mpu_access access)
{
    const struct cortex_cpu *cpu = n->cpu;
    bool privileged = cpu->exception || !(cpu->control & CORTEX_UNPRIVILEGED);
    if (address >> 28 == 0xe || !cortex_mpu_works(cpu)) /* the private peripheral bus has rules of its own */
        return true;
    return cortex_mpu_permits(cpu, address, privileged, access) &&
           cortex_mpu_permits(cpu, address + (size - 1), privileged, access);
}

/* Whether an access may be denied, by whoever makes it. */
static bool cortex_mpu_guards(const struct cortex_cpu *cpu, uint32_t address, enum cortex_mpu_access access)
{
    bool both = cpu->control & CORTEX_UNPRIVILEGED;
    return cpu->mpu_ctrl & ENABLE && (!cortex_mpu_permits(cpu, address, true, access) ||
                                      (both && !cortex_mpu_permits(cpu, address, false, access)));
}

/* The first address after this one at which other permissions may begin: where a region or a part of one does, or ends.
 */
static uint64_t cortex_mpu_next(const struct cortex_cpu *cpu, uint32_t address)
{
    uint64_t next = UINT64_C(1) << 32;
    for (unsigned region = 0; region < CORTEX_MPU_REGIONS; region++) {
        uint32_t attributes = cpu->mpu_rasr[region];
        uint64_t size = cortex_mpu_size(attributes), part = size < SMALLEST_WITH_PARTS ? size : size / 8;
        uint64_t base = cpu->mpu_rbar[region] & ~(uint32_t)(size - 1), end = base;
        if (address >= base + size || !(attributes & REGION_ENABLE))
            continue;
        if (address >= base)
            end += ((address - base) / part + 1) * part;
        next = end < next ? end : next;
    }
    return (next + SMALLEST - 1) & ~(uint64_t)(SMALLEST - 1);
}

static void cortex_mpu_mark(uint8_t *marks, size_t count, bool guarded)
{
    for (size_t i = 0; i < count; i++)
        marks[i] = (uint8_t)((marks[i] & ~PAGE_GUARDED) | (guarded ? PAGE_GUARDED : 0));
}

void cortex_mpu_changed(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct region *ram = n->machine->ram;
    uint8_t *marks = n->page + (map_slot(n->machine, ram->first) >> PAGE_BITS);
    if (!n->guarded && !(cpu->mpu_ctrl & ENABLE))
        return;
    n->guarded = cpu->mpu_ctrl & ENABLE;
    n->code_guarded = false;
    for (uint64_t at = 0; n->guarded && at < n->machine->code_size; at = cortex_mpu_next(cpu, (uint32_t)at))
        n->code_guarded |= cortex_mpu_guards(cpu, (uint32_t)at, CORTEX_MPU_READ);
    for (uint32_t at = 0, end; at < ram->size; at = end) {
        uint64_t next = cortex_mpu_next(cpu, ram->first + at) - ram->first;
        end = next < ram->size ? (uint32_t)next : ram->size;
        cortex_mpu_mark(marks + (at >> PAGE_BITS), (end - at) >> PAGE_BITS,
                        cortex_mpu_guards(cpu, ram->first + at, CORTEX_MPU_WRITE));
    }
    n->cut = true;
}
