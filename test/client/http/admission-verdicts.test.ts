// Tests for services that refuse every request: when that means that they fail for all sites.
import assert from "node:assert/strict";
import sinon from "sinon";
import { ServiceDownError } from "../../../src/errors";
import { Admission } from "../../../src/client/http/admission";
import { turnAt } from "../clients";

describe("a service that refuses every request with Retry-After", () => {
  let clock: sinon.SinonFakeTimers;
  const never = new AbortController().signal;
  beforeEach(() => (clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] })));
  afterEach(() => clock.restore());

  it("fails for all once it has refused the first request after three pauses", async () => {
    const admission = new Admission(1, 0, []);
    let sent = 0;
    const refuse = (site: string): Promise<void> =>
      admission.run(
        (turn) => {
          sent += 1;
          return Promise.resolve(admission.gate.observe({ status: 429, retryAfter: 10 }, turn));
        },
        never,
        { caller: { id: "", priority: "schedule" }, site },
      );
    await refuse("a");
    for (const [index, site] of ["b", "c", "d"].entries()) {
      assert.equal(admission.state.breaker, undefined);
      const refused = refuse(site);
      await clock.tickAsync(9999);
      assert.equal(sent, 1 + index);
      await clock.tickAsync(1);
      await refused;
    }
    assert.equal(admission.state.breaker?.mode, "open");
    const error: unknown = await refuse("a").catch((reason: unknown) => reason);
    assert.ok(error instanceof ServiceDownError);
    assert.equal(error.code, "ENERGY_RATE_LIMIT");
  });

  it("works if it answers the first request after each pause", async () => {
    const admission = new Admission(1, 0, []);
    for (let times = 0; times < 10; times += 1) {
      admission.gate.observe({ status: 429, retryAfter: 10 }, turnAt());
      clock.tick(10_000);
      await admission.run((turn) => Promise.resolve(admission.gate.observe({ status: 200 }, turn)), never);
    }
    assert.equal(admission.state.breaker, undefined);
  });
});

describe("429 without Retry-After", () => {
  it("says that the service fails only once requests cannot be spaced any further", () => {
    const { gate } = new Admission(1, 0);
    const refuse = (site: string, retryAfter?: number): void =>
      gate.observe({ status: 429, retryAfter }, turnAt(performance.now(), site));
    for (const site of ["a", "b", "c", "d", "e", "f"]) refuse(site);
    for (const site of ["g", "h"]) refuse(site);
    refuse("i", 1);
    const mode = (): string | undefined => gate.state.breaker?.mode;
    assert.equal(mode(), undefined);
    refuse("j");
    assert.equal(mode(), "testing");
  });
});
