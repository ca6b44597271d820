/* In the manner of what nesC makes of TinyOS's programs, with its two separators, of which avr-gcc takes one: messages
 * are sent and received through interfaces whose descriptions Motet brings (target/interface/nesc.interface). One send
 * is not TinyOS's, and has another type of message. */
#include <motet.h>
#include <stdint.h>

#ifdef __AVR__
#define NAME(component, interface, function) component##__##interface##__##function
#else
#define NAME(component, interface, function) component##$##interface##$##function
#endif

typedef uint8_t error_t;
typedef struct message {
    uint8_t header[4], data[12];
} message_t;
typedef struct {
    uint16_t number;
} report_t;

static message_t message;
static report_t report = {7};
static volatile uint8_t seen;

__attribute__((noinline)) error_t NAME(RadioP, AMSend, send)(uint16_t addr, message_t *msg, uint8_t len)
{
    seen += (uint8_t)addr + msg->data[len - 1];
    return 0;
}

__attribute__((noinline)) error_t NAME(UartP, Send, send)(report_t *msg, uint8_t len)
{
    seen += (uint8_t)msg->number + len;
    return 0;
}

__attribute__((noinline)) void NAME(AppP, Timer, fired)(void)
{
    for (uint8_t i = 0; i < sizeof message.data; i++)
        message.data[i] = 16 + i;
    NAME(RadioP, AMSend, send)(3, &message, 5);
    NAME(UartP, Send, send)(&report, 2);
}

__attribute__((noinline)) void NAME(AppP, AMSend, sendDone)(message_t *msg, error_t error)
{
    seen += msg->data[0] + error;
}

__attribute__((noinline)) message_t *NAME(AppP, Receive, receive)(message_t *msg, void *payload, uint8_t len)
{
    seen += *(uint8_t *)payload + len;
    return msg;
}

int main(void)
{
    NAME(AppP, Timer, fired)();
    NAME(AppP, AMSend, sendDone)(&message, 0);
    NAME(AppP, Receive, receive)(&message, message.data, 3);
    motet_exit(0);
}
