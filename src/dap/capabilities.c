/* What the server can do, as initialize answers it. */
#include "dap/client.h"
#include "dap/dap.h"

static json_t *capabilities_filters(void)
{
    return json_pack("[{s:s, s:s, s:s, s:b}, {s:s, s:s, s:s, s:b}]", "filter", DAP_FILTER_FAULTS, "label", "Faults",
                     "description", "Stops where a fault ends a node", "default", 1, "filter", DAP_FILTER_ENDS, "label",
                     "Ended nodes", "description", "Stops where a firmware ends or halts, though other nodes go on",
                     "default", 0);
}

json_t *client_capabilities(void)
{
    static const char *const can[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsHitConditionalBreakpoints",
                                      "supportsLogPoints",
                                      "supportsDataBreakpoints",
                                      "supportsDataBreakpointBytes",
                                      "supportsInstructionBreakpoints",
                                      "supportsBreakpointLocationsRequest",
                                      "supportsStepBack",
                                      "supportsSteppingGranularity",
                                      "supportsRestartFrame",
                                      "supportsGotoTargetsRequest",
                                      "supportsRestartRequest",
                                      "supportsTerminateRequest",
                                      "supportTerminateDebuggee",
                                      "supportsEvaluateForHovers",
                                      "supportsClipboardContext",
                                      "supportsSetVariable",
                                      "supportsSetExpression",
                                      "supportsValueFormattingOptions",
                                      "supportsReadMemoryRequest",
                                      "supportsWriteMemoryRequest",
                                      "supportsDisassembleRequest",
                                      "supportsExceptionInfoRequest",
                                      "supportsLoadedSourcesRequest",
                                      "supportsCompletionsRequest",
                                      "supportsDelayedStackTraceLoading",
                                      "supportsCancelRequest"};
    json_t *all = json_object();
    for (size_t i = 0; i < sizeof can / sizeof can[0]; i++)
        json_object_set_new(all, can[i], json_true());
    json_object_set_new(all, "exceptionBreakpointFilters", capabilities_filters());
    return all;
}
