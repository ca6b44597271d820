#include "../../../target/msp430/include/intrinsics.h"
