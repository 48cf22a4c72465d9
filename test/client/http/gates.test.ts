// Tests for requests that wait to be retried while the service turns out to fail for all sites.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError, errorText, HttpError, RateLimitError, ServiceDownError } from "../../../src/errors";
import { Gates } from "../../../src/client/http/gates";

describe("a service that refuses every request with Retry-After", () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => (clock = sinon.useFakeTimers({ toFake: ["performance"] })));
  afterEach(() => clock.restore());

  it("fails for all once it has refused the first request after three pauses", () => {
    const gates = new Gates(0, []);
    const refuse = (site: string): boolean | undefined => {
      const { number, end } = gates.begin(false);
      const works = gates.observe({ status: 429, retryAfter: 10 }, performance.now());
      const error = new RateLimitError(errorText("lastStatus", { status: 429 }), { statusCode: 429 });
      if (works === false) gates.failed({ site, outcome: { status: 429, retryAfter: 10 }, error }, number);
      end?.(false);
      return works;
    };
    assert.equal(refuse("a"), undefined);
    for (const site of ["b", "c", "d"]) {
      assert.equal(gates.refusal(false), undefined);
      assert.ok(gates.waitMs(false) > 9000);
      clock.tick(10_000);
      assert.equal(refuse(site), false);
    }
    assert.equal(gates.refusal(false)?.code, "ENERGY_RATE_LIMIT");
  });

  it("works if it answers the first request after each pause", () => {
    const gates = new Gates(0, []);
    for (let times = 0; times < 10; times += 1) {
      assert.equal(gates.observe({ status: 429, retryAfter: 10 }, performance.now()), undefined);
      clock.tick(10_000);
      const { end } = gates.begin(false);
      assert.equal(gates.observe({ status: 200 }, performance.now()), true);
      end?.(false);
    }
    assert.equal(gates.state.breaker, undefined);
  });
});

describe("a request that waits to be retried", () => {
  const never = new AbortController().signal;
  let clock: sinon.SinonFakeTimers;
  let gates: Gates;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    // Without retries, the breaker opens at once.
    gates = new Gates(0, []);
  });
  afterEach(() => clock.restore());

  const failForAll = (): void => {
    const error = new HttpError(errorText("lastStatus", { status: 503 }), { statusCode: 503 });
    for (const site of ["a", "b", "c"]) gates.failed({ site, outcome: { status: 503 }, error }, 0);
  };

  it("fails as soon as the service fails for all sites, and leaves no timer", async () => {
    const waiting = [gates.waitToRetry(10_000, never), gates.waitToRetry(10_000, never)];
    const failures = waiting.map((each) => assert.rejects(each, ServiceDownError));
    failForAll();
    await Promise.all(failures);
    assert.equal(clock.countTimers(), 0);
  });

  it("fails at once if the service fails for all sites already", async () => {
    failForAll();
    await assert.rejects(gates.waitToRetry(10_000, never), ServiceDownError);
    assert.equal(clock.countTimers(), 0);
  });

  it("is retried at once if the service is back at the moment when it seemed to fail for all", async () => {
    const waiting = gates.waitToRetry(10_000, never);
    failForAll();
    gates.succeeded("d");
    await waiting;
    assert.equal(clock.countTimers(), 0);
  });

  it("can be aborted", async () => {
    const abort = new AbortController();
    const waiting = assert.rejects(gates.waitToRetry(10_000, abort.signal), AbortedError);
    abort.abort();
    failForAll();
    await waiting;
  });

  it("waits as long as it should otherwise", async () => {
    const over = sinon.spy();
    const waiting = gates.waitToRetry(10_000, never).then(over);
    await clock.tickAsync(9999);
    assert.equal(over.callCount, 0);
    await clock.tickAsync(1);
    await waiting;
  });
});

describe("429 without Retry-After", () => {
  it("says that the service fails only once requests cannot be spaced any further", () => {
    const gates = new Gates(0);
    const verdicts = Array.from({ length: 8 }, () => gates.observe({ status: 429 }, performance.now()));
    assert.deepEqual(verdicts.slice(0, 6), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.deepEqual(verdicts.slice(6), [false, false]);
    assert.equal(gates.observe({ status: 429, retryAfter: 1 }, performance.now()), undefined);
    assert.equal(gates.observe({ status: 503, retryAfter: 1 }, performance.now()), false);
    assert.equal(gates.observe({ status: 404 }, performance.now()), true);
  });
});
