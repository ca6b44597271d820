#include "isa/cortex/mpu.h"

#include "node/machine.h"
#include "node/map.h"

enum { ENABLE = 1, IN_HARD_FAULT = 2, DEFAULT_MAP = 4, REGION_ENABLE = 1 };
enum { MAY_READ = 1, MAY_WRITE = 2, SMALLEST_WITH_PARTS = 256 };

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

/* Permissions are the same within 32 bytes, the smallest region. */
static bool cortex_mpu_guards(const struct cortex_cpu *cpu, uint32_t address)
{
    bool both = cpu->control & CORTEX_UNPRIVILEGED;
    return cpu->mpu_ctrl & ENABLE && (!cortex_mpu_permits(cpu, address, true, CORTEX_MPU_WRITE) ||
                                      (both && !cortex_mpu_permits(cpu, address, false, CORTEX_MPU_WRITE)));
}

void cortex_mpu_changed(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const struct region *ram = n->machine->ram;
    uint8_t *marks = n->page + (map_slot(n->machine, ram->first) >> PAGE_BITS);
    if (!n->guarded && !(cpu->mpu_ctrl & ENABLE))
        return;
    n->guarded = cpu->mpu_ctrl & ENABLE;
    for (uint32_t at = 0; at < ram->size; at += 32) {
        bool guarded = cortex_mpu_guards(cpu, ram->first + at);
        for (unsigned i = 0; i < 32 >> PAGE_BITS; i++) {
            uint8_t *mark = &marks[(at >> PAGE_BITS) + i];
            *mark = (uint8_t)(guarded ? *mark | PAGE_GUARDED : *mark & ~PAGE_GUARDED);
        }
    }
    n->cut = true;
}
