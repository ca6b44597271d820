// The adapter with Microsoft's client for tests of debug adapters. Each test is a session of its own.
const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const { MOTET, FIRMWARE, SOURCE } = process.env;
const COUNTER = SOURCE + "/tests/debug/counter.c", BLINK = SOURCE + "/firmware/apps/blink.c";

const lineOf = (file, text) => fs.readFileSync(file, "utf8").split("\n").findIndex((l) => l.includes(text)) + 1;

// The client starts adapters by node; this starts motet instead, as an editor does.
class Client extends DebugClient {
    constructor() {
        super(MOTET, "dap", "motet", {}, true);
        this.defaultTimeout = 60000;
    }
}

const tests = {
    async initialize(c) {
        const r = await c.initializeRequest();
        assert.ok(r.body.supportsStepBack && r.body.supportsConfigurationDoneRequest);
    },
    async unknownRequest(c) {
        await c.initializeRequest();
        await assert.rejects(c.send("illegal_request"));
    },
    async runsToTheEnd(c) {
        await Promise.all([
            c.configurationSequence(),
            c.launch({ program: FIRMWARE + "/debug-counter.elf", stopAtEnd: false }),
            c.waitForEvent("terminated"),
        ]);
    },
    async stopsOnEntry(c) {
        await Promise.all([
            c.configurationSequence(),
            c.launch({ program: FIRMWARE + "/debug-counter.elf", stopOnEntry: true }),
            c.assertStoppedLocation("entry", {}),
        ]);
    },
    async hitsABreakpoint(c) {
        const line = lineOf(COUNTER, "total += s");
        await c.hitBreakpoint({ program: FIRMWARE + "/debug-counter.elf" }, { path: COUNTER, line });
        const frames = (await c.stackTraceRequest({ threadId: 1 })).body.stackFrames;
        const scopes = await c.scopesRequest({ frameId: frames[0].id });
        const locals = await c.variablesRequest({ variablesReference: scopes.body.scopes[0].variablesReference });
        assert.deepStrictEqual(locals.body.variables.map((v) => v.name).sort(), ["n", "s"]);
        const here = { path: COUNTER, line }, before = { path: COUNTER, line: line - 1 };
        await Promise.all([c.continueRequest({ threadId: 1 }), c.assertStoppedLocation("breakpoint", here)]);
        assert.strictEqual((await c.evaluateRequest({ expression: "s" })).body.result, "4");
        await Promise.all([c.reverseContinueRequest({ threadId: 1 }), c.assertStoppedLocation("breakpoint", here)]);
        assert.strictEqual((await c.evaluateRequest({ expression: "s" })).body.result, "1");
        await Promise.all([c.stepBackRequest({ threadId: 1 }), c.assertStoppedLocation("step", before)]);
        await Promise.all([c.nextRequest({ threadId: 1 }), c.assertStoppedLocation("breakpoint", here)]);
    },
    async hitsAConditionalBreakpoint(c) {
        const line = lineOf(COUNTER, "total += s");
        const wish = { source: { path: COUNTER }, breakpoints: [{ line, condition: "s == 16" }] };
        await Promise.all([
            c.waitForEvent("initialized")
                .then(() => c.setBreakpointsRequest(wish))
                .then(() => c.configurationDoneRequest()),
            c.launch({ program: FIRMWARE + "/debug-counter.elf" }),
            c.assertStoppedLocation("breakpoint", { path: COUNTER, line }),
        ]);
        assert.strictEqual((await c.evaluateRequest({ expression: "s" })).body.result, "16");
    },
    async stopsAtAFunction(c) {
        await Promise.all([
            c.waitForEvent("initialized")
                .then(() => c.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square" }] }))
                .then(() => c.configurationDoneRequest()),
            c.launch({ program: FIRMWARE + "/debug-counter.elf" }),
            c.assertStoppedLocation("function breakpoint", { path: COUNTER }),
        ]);
    },
    async stopsAtAFault(c) {
        await Promise.all([
            c.configurationSequence(),
            c.launch({ program: FIRMWARE + "/fault-null_write.elf" }),
            c.waitForEvent("stopped").then((e) => assert.strictEqual(e.body.reason, "exception")),
        ]);
    },
    async outputOfANode(c) {
        const file = path.join(os.tmpdir(), "motet-dap-" + process.pid);
        fs.writeFileSync(file, "hello\n");
        await Promise.all([
            c.configurationSequence(),
            c.launch({ program: FIRMWARE + "/cli-echo.elf", for: "0.5s", serial: "0=file:" + file + ",/dev/null",
                stopAtEnd: false }),
            c.waitForEvent("terminated"),
        ]).finally(() => fs.unlinkSync(file));
    },
    async aNetworkOfTwoInstructionSets(c) {
        const scenario = path.join(os.tmpdir(), "motet-dap-" + process.pid + ".lua");
        fs.writeFileSync(scenario, `node{ id = 1, board = "micaz", firmware = "${FIRMWARE}/blink-micaz.elf" }
            node{ id = 2, board = "telosb", firmware = "${FIRMWARE}/blink-telosb.elf", boot = 0.1 }
            run_for(1)`);
        try {
            const at = { path: BLINK, line: lineOf(BLINK, "leds_toggle") };
            const seen = [];
            c.on("stopped", (e) => seen.push(e.body.threadId));
            await c.hitBreakpoint({ program: scenario }, at);
            await Promise.all([c.continueRequest({ threadId: 1 }), c.waitForEvent("stopped")]);
            assert.deepStrictEqual(seen, [1, 2]);
            assert.deepStrictEqual((await c.threadsRequest()).body.threads.map((t) => t.name), ["node 1 (micaz)",
                "node 2 (telosb)"]);
        } finally {
            fs.unlinkSync(scenario);
        }
    },
};

process.exitCode = 1; // until all sessions are over: node ends in silence when nothing more can happen
(async () => {
    let failed = 0;
    for (const [name, test] of Object.entries(tests)) {
        const c = new Client();
        try {
            await c.start();
            await test(c);
        } catch (e) {
            failed++;
            console.log(`FAILED: ${name}: ${e && e.message}`);
            console.log(`  again: ctest -R dap.testsupport`);
        }
        await c.stop().catch(() => {});
    }
    console.log(`${Object.keys(tests).length} sessions, ${failed} failed`);
    process.exit(failed ? 1 : 0);
})();
