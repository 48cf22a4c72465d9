// Tests which imports the check of layers allows and forbids.
import assert from "node:assert/strict";
import { forbiddenImports } from "../../tools/lint-layers.mjs";

const lines = (path: string, source: string): string[] => forbiddenImports(path, source);

describe("source layers", () => {
  for (const [from, specifier] of [
    ["src/ledger/ledger.ts", "../models/time"],
    ["src/ledger/ledger.ts", "./gaps"],
    ["src/client/service-client.ts", "./http/exchange"],
    ["src/client/auth/session.ts", "../connection"],
    ["nodes/alerts/alerts.ts", "./settings"],
    ["nodes/alerts/alerts.ts", "../shared/runtime/lifecycle/schedule"],
    ["nodes/alerts/alerts.ts", "../../src/alerts/alert-changes"],
    ["nodes/shared/runtime/lifecycle/schedule.ts", "../../../../src/abort"],
    ["nodes/shared/runtime/lifecycle/schedule.ts", "../base/timer"],
  ] as const) {
    it(`allow ${from} to import ${specifier}`, () => {
      assert.deepEqual(lines(from, `import { a } from "${specifier}";`), []);
    });
  }

  for (const [from, specifier, reason] of [
    ["src/models/time.ts", "../ledger/ledger", /models is not above ledger/],
    ["src/client/http/retry.ts", "../auth/session", /client\/http is not above client\/auth/],
    ["src/client/http/retry.ts", "../service-client", /client\/http is not above client/],
    ["src/alerts/alert-changes.ts", "../decisions/freshness", /alerts is not above decisions/],
    ["src/models/time.ts", "../../nodes/alerts/alerts", /src\/ does not import nodes\//],
    ["src/unheard-of/file.ts", "../models/time", /no layer/],
    ["src/index.ts", "./unheard-of/file", /no layer/],
    ["nodes/alerts/alerts.ts", "../history/history", /belongs in nodes\/shared\//],
    ["nodes/shared/runtime/base/status.ts", "../../../alerts/alerts", /belongs in nodes\/shared\//],
    ["nodes/shared/runtime/base/status.ts", "../lifecycle/failures", /base is not above lifecycle/],
    ["nodes/shared/runtime/status.ts", "./base/timer", /no layer/],
    ["nodes/alerts/alerts.ts", "../../test/support/flow", /nodes\/ does not import test\//],
  ] as const) {
    it(`forbid ${from} to import ${specifier}`, () => {
      const [line, ...others] = lines(from, `import { a } from "${specifier}";`);
      assert.match(line ?? "", reason);
      assert.deepEqual(others, []);
    });
  }

  it("apply to every form of import, and errors name the line", () => {
    const source = [
      'import type { A } from "../ledger/a";',
      "export {",
      "  b,",
      '} from "../ledger/b";',
      'import "../ledger/c";',
      'const d = await import("../ledger/d");',
      'import e = require("../ledger/e");',
    ];
    assert.deepEqual(
      lines("src/models/time.ts", source.join("\n")).map((text) => text.split(" ")[0]),
      [1, 4, 5, 6, 7].map((line) => `src/models/time.ts:${line}:`),
    );
  });
});
