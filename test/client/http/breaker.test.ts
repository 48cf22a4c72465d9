// Tests for the breaker: when it notices that a service fails for all, when it probes, and what does not open it.
import assert from "node:assert/strict";
import sinon from "sinon";
import { HttpError, errorText, NetworkError, TimeoutError } from "../../../src/errors";
import { Breaker, type ServiceFailure } from "../../../src/client/http/breaker";

const SECOND = 1000;

describe("breaker", () => {
  let clock: sinon.SinonFakeTimers;
  let breaker: Breaker;
  let turns: number;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    sinon.stub(Math, "random").returns(0);
    breaker = new Breaker();
    turns = 0;
  });
  afterEach(() => {
    clock.restore();
    sinon.restore();
  });

  const down = (site: string): ServiceFailure => ({
    site,
    error: new HttpError(errorText("lastStatus", { status: 503 }), { statusCode: 503 }),
  });
  const fail = (...sites: string[]): void => {
    for (const site of sites) breaker.failed(down(site), 0);
  };
  /** A request that starts now and fails. */
  const probe = (failure = down("probe")): void => {
    turns += 1;
    breaker.start(turns);
    assert.equal(breaker.waitMs(performance.now()), Number.POSITIVE_INFINITY);
    breaker.failed(failure, turns);
    breaker.end(turns);
  };
  const mode = (): string | undefined => breaker.state?.mode;
  /** Seconds until a request may start. */
  const wait = (): number => Math.round(breaker.waitMs(performance.now()) / SECOND);
  const openAfterRetries = (): void => {
    fail("a", "b", "c");
    for (const seconds of [1, 3, 10]) {
      clock.tick(seconds * SECOND);
      probe();
    }
  };

  it("retries one request for all once three sites have failed in a row, and opens when the retries have failed", () => {
    fail("a", "b");
    assert.equal(mode(), undefined);
    fail("c");
    for (const seconds of [1, 3, 10]) {
      assert.equal(mode(), "testing");
      assert.equal(breaker.refusal(), undefined);
      assert.equal(wait(), seconds);
      clock.tick(seconds * SECOND);
      probe();
    }
    assert.equal(mode(), "open");
    const error = breaker.refusal() ?? assert.fail();
    assert.deepEqual([error.code, error.details.statusCode, error.retryIn], ["ENERGY_HTTP", 503, 5]);
    assert.match(error.message, /\(503\)\..* The service fails for all sites\. Next attempt in 5 s\.$/);
  });

  it("is not opened by one or two sites, however often they fail", () => {
    for (let times = 0; times < 20; times += 1) fail("a", "b");
    assert.equal(mode(), undefined);
  });

  it("is not opened by sites that fail while others succeed", () => {
    for (let times = 0; times < 5; times += 1) {
      fail("a", "b");
      breaker.succeeded("d");
      fail("c");
      breaker.succeeded("e");
    }
    fail("a", "b", "c", "a", "b", "c");
    assert.equal(mode(), undefined);
    breaker.succeeded("a");
    fail("x", "y", "a");
    assert.equal(mode(), "testing");
  });

  it("is not opened by requests of no site", () => {
    fail("", "a", "", "b", "");
    assert.equal(mode(), undefined);
  });

  it("is not closed by a list of sites that can be read while nothing can be read of them", () => {
    fail("a", "b");
    breaker.succeeded("");
    fail("c");
    assert.equal(mode(), "testing");
    breaker.succeeded("");
    assert.equal(mode(), "testing");
  });

  it("is not closed by the refusal of a single site, unless that site probes", () => {
    fail("a", "b", "c");
    breaker.refused(7);
    assert.equal(mode(), "testing");
    breaker.start(8);
    breaker.refused(8);
    assert.equal(mode(), undefined);
  });

  it("closes as soon as a request succeeds", () => {
    fail("a", "b", "c");
    clock.tick(SECOND);
    breaker.succeeded("d");
    assert.equal(mode(), undefined);
    fail("e", "f", "g");
    assert.equal(mode(), "testing");
    breaker.succeeded("d");
    assert.equal(breaker.refusal(), undefined);
    assert.equal(wait(), 0);
  });

  it("probes after 5 s, and then half as often each time, down to once a minute", () => {
    openAfterRetries();
    const pauses = Array.from({ length: 7 }, () => {
      const pause = wait();
      clock.tick(pause * SECOND);
      assert.equal(breaker.refusal(), undefined);
      probe();
      return pause;
    });
    assert.deepEqual(pauses, [5, 10, 20, 40, 60, 60, 60]);
  });

  it("lets one request probe at a time, and the others wait for it", () => {
    openAfterRetries();
    clock.tick(5 * SECOND);
    breaker.start(99);
    assert.equal(breaker.waitMs(performance.now()), Number.POSITIVE_INFINITY);
    assert.equal(breaker.refusal(), undefined);
    // One that was in flight before.
    breaker.failed(down("old"), 1);
    assert.equal(breaker.state?.probes, 3);
    breaker.end(99);
    assert.equal(wait(), 0);
  });

  it("lets someone who waits probe sooner, but not every time", () => {
    openAfterRetries();
    clock.tick(2 * SECOND);
    breaker.hurry("user", "a");
    assert.ok(breaker.refusal());
    clock.tick(SECOND);
    breaker.hurry("schedule", "a");
    assert.ok(breaker.refusal());
    breaker.hurry("user", "a");
    assert.equal(breaker.refusal(), undefined);
    probe();
    breaker.hurry("user", "a");
    assert.ok(breaker.refusal());
  });

  it("lets what has not failed probe sooner, because it may work while other sites never do", () => {
    openAfterRetries();
    clock.tick(2 * SECOND);
    breaker.hurry("schedule", "d");
    assert.ok(breaker.refusal());
    clock.tick(SECOND);
    breaker.hurry("backlog", "probe");
    assert.ok(breaker.refusal());
    breaker.hurry("backlog", "d");
    assert.equal(breaker.refusal(), undefined);
    probe(down("d"));
    clock.tick(4 * SECOND);
    breaker.hurry("backlog", "d");
    assert.ok(breaker.refusal());
    breaker.hurry("backlog", "");
    assert.equal(breaker.refusal(), undefined);
  });

  it("opens at once if what requests need cannot be had, after retries of its own", () => {
    const error = new NetworkError("noAnswer", { seconds: 30 });
    const unmet = (site: string): ServiceFailure => ({
      site,
      error,
      isFinal: true,
    });
    const { opening } = breaker;
    for (const site of ["a", "b", "c", "d", "e"]) breaker.failed(unmet(site), 0);
    assert.ok(opening.aborted);
    assert.equal(breaker.refusal()?.code, "ENERGY_NETWORK");
    assert.equal(wait(), 5);
    clock.tick(5 * SECOND);
    for (const site of ["a", "b", "c", "d", "e"]) breaker.failed(unmet(site), 0);
    assert.equal(wait(), 10);
  });

  it("waits for a timeout only twice before it opens", () => {
    const error = new TimeoutError("noAnswer", { seconds: 30 });
    for (const site of ["a", "b", "c"]) breaker.failed({ site, error }, 0);
    clock.tick(SECOND);
    probe({ site: "d", error });
    assert.equal(mode(), "open");
  });
});
