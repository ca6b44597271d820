/* Pairs (pair.h): a part of execute_loop.h. The operations are those of execute_operations.h; between the two is no
 * jump that the host has to foresee, and flags that the second sets are not worked out by the first. */

#undef ALONE
#define ALONE  alone
#define LENGTH length
#define OP(name)
#define BODY_CMP_I   TEST_FORM(CMP, I)
#define BODY_CMP_R   TEST_FORM(CMP, R)
#define BODY_SUB_IF  SUM_FORM(SUB, I, IF)
#define BODY_ADD_IF  SUM_FORM(ADD, I, IF)
#define BODY_AND_IF  LOGIC_FORM(AND, I, IF)
#define BODY_EOR_RF  LOGIC_FORM(EOR, R, RF)
#define BODY_LSR_IF  SHIFT_NUMBER(LSR)
#define BODY_MOV_R   PLAIN_FORM(MOV, R, R)
#define BODY_ADD_I   PLAIN_FORM(ADD, I, I)
#define BODY_SUB_I   PLAIN_FORM(SUB, I, I)
#define BODY_UXTB    CHANGE(UXTB, v & 0xff)
#define BODY_UXTH    CHANGE(UXTH, v & 0xffff)
#define BODY_LDR_L   LOAD_LITERAL(LDR_L)
#define BODY_LDR_I   LOAD_I(LDR, 4, v)
#define BODY_LDRB_I  LOAD_I(LDRB, 1, v)
#define BODY_LDRH_I  LOAD_I(LDRH, 2, v)
#define BODY_LDRSH_I LOAD_I(LDRSH, 2, (uint32_t)(int32_t)(int16_t)v)
#define BODY_BEQ     BRANCH_IF(BEQ)
#define BODY_BNE     BRANCH_IF(BNE)
#define BODY_BCS     BRANCH_IF(BCS)
#define BODY_BCC     BRANCH_IF(BCC)
#define BODY_BHI     BRANCH_IF(BHI)
#define BODY_BLS     BRANCH_IF(BLS)
#define BODY_BGE     BRANCH_IF(BGE)
#define BODY_BLT     BRANCH_IF(BLT)
#define BODY_BGT     BRANCH_IF(BGT)
#define BODY_BLE     BRANCH_IF(BLE)
#define BODY_CBZ     BRANCH_IF(CBZ)
#define X(first, first_wide, second, second_wide)              \
    pair_##first##first_wide##_##second##second_wide:          \
    {                                                          \
        {                                                      \
            enum { length = 1 + (first_wide), alone = false }; \
            BODY_##first                                       \
        }                                                      \
        enum { length = 1 + (second_wide), alone = true };     \
        BODY_##second                                          \
    }
CORTEX_PAIRS(X)
#undef X
#undef LENGTH
#undef OP
#undef ALONE
#define ALONE true
