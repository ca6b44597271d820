// What C++ adds to types and names, for tests/unit/debug.c.
#define KEPT __attribute__((used))

enum class Mode : unsigned char { Idle, Busy };

struct Base {
    int id;
};

class Motor : public Base
{
  public:
    constexpr Motor(int i, signed char s) : Base{i}, speed(s), mode(Mode::Busy) {}
    void reset();
    static int count;
    signed char speed;
    Mode mode;
};

namespace zone
{
volatile int where KEPT = 5;
}

int Motor::count KEPT = 6;
Motor motor KEPT(3, -4);
Motor &which KEPT = motor;

__attribute__((noinline)) int twice(int n)
{
    static volatile int calls KEPT = 7;
    calls = calls + 1;
    return n * 2 + calls;
}

void Motor::reset()
{
    speed = 0;
}

struct Lock {
    Lock();
    ~Lock();
};

Lock::Lock()
{
    zone::where = 1;
}

Lock::~Lock()
{
    zone::where = 2;
}

int main()
{
    Lock lock;
    for (;;)
        zone::where = twice(which.id + Motor::count);
}
