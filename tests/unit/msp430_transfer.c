/* The MSP430's DMA controller and multiplier by their registers, against SLAU049 chapters 7 and 8. */
#include "msp430_io.h"
#include "node/taps.h"

enum { FROM = 0x1200, TO = 0x1300 };
enum { BOTH_UP = DMASRCINCR0 | DMASRCINCR1 | DMADSTINCR0 | DMADSTINCR1 };

static void fill(struct node *n)
{
    for (unsigned i = 0; i < 64; i++)
        n->data[FROM + i] = (uint8_t)(0x40 + i);
}

static void set_up(struct node *n, unsigned ctl, unsigned size)
{
    fill(n);
    node_write_word(n, DMA0SA, FROM);
    node_write_word(n, DMA0DA, TO);
    node_write_word(n, DMA0SZ, (uint16_t)size);
    node_write_word(n, DMA0CTL, (uint16_t)ctl);
}

static unsigned word(const struct node *n, unsigned at)
{
    return n->data[at] | n->data[at + 1] << 8;
}

/* 8.2.5: a cycle to synchronise, two for the transfer, one to give the bus back. */
static void one_request_one_transfer(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    set_up(n, BOTH_UP | DMAEN | DMAIE, 2);
    bare_node_at(n, 100);
    node_write_word(n, DMA0CTL, BOTH_UP | DMAEN | DMAIE | DMAREQ);
    assert_int_equal(word(n, TO), 0);
    bare_node_at(n, 101);
    assert_int_equal(word(n, TO), 0x4140);
    assert_int_equal(n->state->stall, 3);
    assert_int_equal(node_read_word(n, DMA0CTL), BOTH_UP | DMAEN | DMAIE);
    assert_int_equal(node_read_word(n, DMA0SZ), 1);
    bare_node_at(n, 200);
    assert_int_equal(word(n, TO + 2), 0);
    node_write_word(n, DMA0CTL, BOTH_UP | DMAEN | DMAIE | DMAREQ);
    bare_node_at(n, 300);
    assert_int_equal(word(n, TO + 2), 0x4342);
    assert_int_equal(node_read_word(n, DMA0CTL), BOTH_UP | DMAIE | DMAIFG); /* done, and disabled */
    assert_int_equal(node_read_word(n, DMA0SZ), 2);
    assert_true(bare_node_asks(n, DACDMA_LINE));
    node_write_word(n, DMA0CTL, 0);
    assert_false(bare_node_asks(n, DACDMA_LINE));
    bare_node_free(n);
}

static void a_block_takes_two_cycles_a_word(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    set_up(n, BOTH_UP | DMADT0 | DMAEN, 10);
    bare_node_at(n, 100);
    node_write_word(n, DMA0CTL, BOTH_UP | DMADT0 | DMAEN | DMAREQ);
    for (unsigned i = 0; i < 10; i++) {
        bare_node_at(n, 100 + 2 * i);
        assert_int_equal(word(n, TO + 2 * i), 0);
        bare_node_at(n, 101 + 2 * i);
        assert_int_equal(word(n, TO + 2 * i), (0x41 + 2 * i) << 8 | (0x40 + 2 * i));
    }
    assert_int_equal(n->state->stall, 21);
    assert_int_equal(node_read_word(n, DMA0CTL) & (DMAEN | DMAIFG), DMAIFG);
    bare_node_free(n);
}

/* 8.2.2.3: after four transfers the CPU has two cycles. */
static void a_burst_leaves_the_cpu_a_share(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    set_up(n, BOTH_UP | DMADT1 | DMAEN, 6);
    node_write_word(n, DMA0CTL, BOTH_UP | DMADT1 | DMAEN | DMAREQ);
    bare_node_at(n, 1 + 6 + 3);
    assert_int_equal(word(n, TO + 6), 0x4746);
    assert_int_equal(word(n, TO + 8), 0);
    bare_node_at(n, 1 + 6 + 4);
    assert_int_equal(word(n, TO + 8), 0x4948);
    bare_node_free(n);
}

static void bytes_and_words_mix(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    set_up(n, BOTH_UP | DMADT0 | DMASRCBYTE | DMAEN, 2);
    memset(n->data + TO, 0xee, 8);
    node_write_word(n, DMA0CTL, BOTH_UP | DMADT0 | DMASRCBYTE | DMAEN | DMAREQ);
    bare_node_at(n, 50);
    assert_int_equal(word(n, TO), 0x0040);
    assert_int_equal(word(n, TO + 2), 0x0041);
    assert_int_equal(word(n, TO + 4), 0xeeee);
    enum { DOWN = DMASRCINCR1 | DMADSTINCR0 | DMADSTINCR1 | DMADT0 | DMADSTBYTE }; /* the source downward */
    node_write_word(n, DMA0SA, FROM + 2);
    node_write_word(n, DMA0CTL, DOWN);
    node_write_word(n, DMA0CTL, DOWN | DMAEN);
    node_write_word(n, DMA0SA, 0);
    node_write_word(n, DMA0CTL, DOWN | DMAEN | DMAREQ);
    bare_node_at(n, 100);
    assert_int_equal(word(n, TO), 0x4042); /* the addresses are those of when DMAEN was set */
    bare_node_free(n);
}

static void repeated_single_goes_round(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    set_up(n, BOTH_UP | DMADT2 | DMAEN, 2);
    for (unsigned i = 0; i < 3; i++) {
        node_write_word(n, DMA0CTL, BOTH_UP | DMADT2 | DMAEN | DMAREQ);
        bare_node_at(n, 50 * (i + 1));
        if (i == 0)
            memset(n->data + TO, 0, 2);
    }
    assert_int_equal(word(n, TO), 0x4140); /* again, by the third */
    assert_int_equal(word(n, TO + 2), 0x4342);
    assert_int_equal(node_read_word(n, DMA0SZ), 1);
    assert_int_equal(node_read_word(n, DMA0CTL) & DMAEN, DMAEN);
    bare_node_free(n);
}

/* CCIFG of TACCR2 is reset by the transfer it starts, and starts none while CCIE is set. */
static void a_timer_triggers(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    node_write_word(n, DMACTL0, 1 * DMA0TSEL0);
    set_up(n, BOTH_UP | DMADT2 | DMAEN, 100);
    node_write_word(n, TACCR0, 99);
    node_write_word(n, TACCR2, 50);
    node_write_word(n, TACTL, TASSEL1 | MC0 | TACLR);
    bare_node_at(n, 49);
    assert_int_equal(word(n, TO), 0);
    bare_node_at(n, 60);
    assert_int_equal(word(n, TO), 0x4140);
    assert_int_equal(node_read_word(n, TACCTL2) & CCIFG, 0);
    bare_node_at(n, 160);
    assert_int_equal(word(n, TO + 2), 0x4342);
    node_write_word(n, TACCTL2, CCIE);
    bare_node_at(n, 260);
    assert_int_equal(word(n, TO + 4), 0);
    bare_node_free(n);
}

/* A character each time UTXIFG is set: the whole string without the CPU. */
static unsigned sent_count;
static char sent[16];

static void record(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)context, (void)handle;
    if (sent_count < sizeof sent)
        sent[sent_count++] = (char)h->serial.frame;
}

static void a_usart_is_fed(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    tap_hook(n, MOTET_ON(SERIAL), record, NULL);
    sent_count = 0;
    node_write(n, U1CTL, CHAR | SWRST);
    node_write(n, U1TCTL, SSEL1);
    node_write(n, U1BR0, 10);
    node_write(n, ME2, UTXE1);
    node_write(n, U1CTL, CHAR);
    memcpy(n->data + FROM, "Hello", 5);
    node_write_word(n, DMACTL0, 10 * DMA0TSEL0);
    node_write_word(n, DMA0SA, FROM + 1);
    node_write_word(n, DMA0DA, U1TXBUF);
    node_write_word(n, DMA0SZ, 4);
    node_write_word(n, DMA0CTL, DMASRCINCR0 | DMASRCINCR1 | DMASBDB | DMAEN);
    node_write(n, U1TXBUF, 'H');
    bare_node_at(n, 1000);
    assert_int_equal(sent_count, 5);
    assert_memory_equal(sent, "Hello", 5);
    assert_int_equal(node_read_word(n, DMA0CTL) & (DMAEN | DMAIFG), DMAIFG);
    bare_node_free(n);
}

static void adc_results_are_fetched(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    node_write_word(n, DMACTL0, 6 * DMA0TSEL0);
    node_write_word(n, DMA0SA, ADC12MEM0);
    node_write_word(n, DMA0DA, TO);
    node_write_word(n, DMA0SZ, 3);
    node_write_word(n, DMA0CTL, DMADSTINCR0 | DMADSTINCR1 | DMAEN);
    node_write(n, ADC12MCTL0, 11);
    node_write_word(n, ADC12CTL1, SHP | ADC12SSEL0 | ADC12SSEL1 | CONSEQ1);
    node_write_word(n, ADC12CTL0, ADC12ON | MSC | ENC | ADC12SC);
    bare_node_at(n, 18 + 1);
    assert_int_equal(word(n, TO), 2048);
    assert_int_equal(node_read_word(n, ADC12IFG), 0); /* fetching is reading */
    assert_int_equal(word(n, TO + 2), 0);
    bare_node_at(n, 18 + 2 * 17 + 1);
    assert_int_equal(word(n, TO + 4), 2048);
    bare_node_free(n);
}

/* Priorities: 0, 1, 2; or in turn. */
static void channels_take_turns(void **state)
{
    (void)state;
    for (unsigned robin = 0; robin < 2; robin++) {
        struct node *n = msp430_io(NULL);
        fill(n);
        node_write_word(n, DMACTL1, robin ? ROUNDROBIN : 0);
        node_write_word(n, DMA0SZ, 10);
        node_write_word(n, DMA1SZ, 10);
        node_write_word(n, DMA0SA, FROM);
        node_write_word(n, DMA1SA, FROM + 2);
        node_write_word(n, DMA0DA, TO);
        node_write_word(n, DMA1DA, TO);
        node_write_word(n, DMA0CTL, DMAEN | DMAREQ);
        bare_node_at(n, 50);
        node_write_word(n, DMA1CTL, DMAEN | DMAREQ);
        node_write_word(n, DMA0CTL, DMAEN | DMAREQ);
        bare_node_at(n, 51);
        assert_int_equal(word(n, TO), robin ? 0x4342 : 0x4140);
        bare_node_at(n, 60);
        assert_int_equal(word(n, TO), robin ? 0x4140 : 0x4342);
        bare_node_free(n);
    }
}

static void one_channel_triggers_the_next(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    node_write_word(n, DMACTL0, 14 * DMA1TSEL0);
    node_write_word(n, DMA1SA, FROM + 8);
    node_write_word(n, DMA1DA, TO + 8);
    node_write_word(n, DMA1SZ, 1);
    node_write_word(n, DMA1CTL, DMAEN);
    set_up(n, BOTH_UP | DMADT0 | DMAEN, 2);
    node_write_word(n, DMA0CTL, BOTH_UP | DMADT0 | DMAEN | DMAREQ);
    bare_node_at(n, 50);
    assert_int_equal(word(n, TO + 2), 0x4342);
    assert_int_equal(word(n, TO + 8), 0x4948);
    bare_node_free(n);
}

/* ---- multiplier ---- */

static void multiply(struct node *n, unsigned first, uint16_t a, uint16_t b)
{
    node_write_word(n, (uint16_t)first, a);
    node_write_word(n, OP2, b);
}

static void expect(struct node *n, uint32_t result, unsigned extension)
{
    assert_int_equal(node_read_word(n, RESLO) | (uint32_t)node_read_word(n, RESHI) << 16, result);
    assert_int_equal(node_read_word(n, SUMEXT), extension);
}

/* Table 7-2 for SUMEXT. */
static void products_and_sums(void **state)
{
    (void)state;
    struct node *n = msp430_io(NULL);
    multiply(n, MPY, 0xffff, 0xffff);
    expect(n, 0xfffe0001, 0);
    multiply(n, MAC, 0xffff, 0xffff);
    expect(n, 0xfffc0002, 1);
    multiply(n, MAC, 1, 1);
    expect(n, 0xfffc0003, 0);
    multiply(n, MPYS, 0xffff, 2);
    expect(n, 0xfffffffe, 0xffff);
    multiply(n, MPYS, 0x8000, 0x8000);
    expect(n, 0x40000000, 0);
    multiply(n, MACS, 0x8000, 0x7fff);
    expect(n, 0x40000000u - 0x3fff8000u, 0);
    multiply(n, MACS, 0x8000, 0x7fff);
    expect(n, 0x80u * 0x100u - 0x3fff8000u, 0xffff);
    assert_int_equal(node_read_word(n, MPY), 0x8000); /* one operand under four addresses */
    node_write_word(n, RESLO, 5);
    node_write_word(n, RESHI, 0);
    node_write_word(n, SUMEXT, 0x1234); /* read only */
    expect(n, 5, 0xffff);
    node_write(n, MPYS, 0x80); /* a byte: the high one is zero */
    node_write(n, OP2, 0x02);
    expect(n, 0x100, 0);
    bare_node_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_request_one_transfer),
        cmocka_unit_test(a_block_takes_two_cycles_a_word),
        cmocka_unit_test(a_burst_leaves_the_cpu_a_share),
        cmocka_unit_test(bytes_and_words_mix),
        cmocka_unit_test(repeated_single_goes_round),
        cmocka_unit_test(a_timer_triggers),
        cmocka_unit_test(a_usart_is_fed),
        cmocka_unit_test(adc_results_are_fetched),
        cmocka_unit_test(channels_take_turns),
        cmocka_unit_test(one_channel_triggers_the_next),
        cmocka_unit_test(products_and_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
