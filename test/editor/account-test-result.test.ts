// Tests for what the account dialog says about the answer of its test.
import assert from "node:assert/strict";
import type { TestAnswer } from "../../src/choices/choices";
import { resultLines } from "../../nodes/account/account-test.editor";
import { installEditor } from "../support/editor-global";

describe("result of an account's test", () => {
  let restore: () => void;

  /** The lines as `kind: text`, in English. */
  function said(answer: Partial<TestAnswer>, isDemo = false): string[] {
    const lines = resultLines({ sites: 6, names: ["Farm", "House"], needPc1: 0, ...answer }, isDemo);
    return lines.map(({ kind, text }) => `${kind}: ${text}`);
  }

  before(() => {
    restore = installEditor({});
  });
  after(() => restore());

  it("counts and names the sites", () => {
    assert.deepEqual(said({}), ["passed: Connected. 6 sites: Farm, House, …"]);
    assert.deepEqual(said({ sites: 1, names: ["Farm"] }), ["passed: Connected. 1 site: Farm"]);
    assert.deepEqual(said({}, true), ["passed: Connected. 6 simulated sites: Farm, House, …"]);
  });

  it("advises PC1 where the account hides a site", () => {
    const advice = "warning: To read PC1 sites as well, set Systems to PC1 and PC2 (preview API).";
    assert.deepEqual(said({ needPc1: 2 }), ["passed: Connected: 6 sites, 2 of them need PC1", advice]);
    assert.deepEqual(said({ needPc1: 1 }), ["passed: Connected: 6 sites, 1 of them needs PC1", advice]);
    assert.deepEqual(said({ sites: 1, needPc1: 1 }), ["passed: Connected: 1 site, which needs PC1", advice]);
    assert.deepEqual(said({ needPc1: 2 }, true), ["passed: Connected. 6 simulated sites: Farm, House, …"]);
  });

  it("warns of credentials without a site", () => {
    assert.deepEqual(said({ sites: 0 }), [
      "warning: The credentials work, but no site is visible to them. Ask your provider.",
    ]);
  });

  it("warns of a wrong clock", () => {
    assert.match(String(said({ clock: 5 * 60_000 })[1]), /^warning: The clock is 5 min behind\./);
    assert.match(String(said({ clock: -26 * 3_600_000 })[1]), /^warning: The clock is 1 d 2 h ahead\./);
  });
});
