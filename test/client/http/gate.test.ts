// Tests for the gate while a service fails for all: when it notices that a service fails for all, when it probes, and what does not open it.
import assert from "node:assert/strict";
import sinon from "sinon";
import { type EnergyError, HttpError, errorText, NetworkError, TimeoutError } from "../../../src/errors";
import type { Priority } from "../../../src/client/http/fair-queue";
import { Gate, type Turn } from "../../../src/client/http/gate";

const SECOND = 1000;

describe("the gate of a service that fails for all", () => {
  let clock: sinon.SinonFakeTimers;
  let gate: Gate;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    sinon.stub(Math, "random").returns(0);
    gate = new Gate(0);
  });
  afterEach(() => {
    clock.restore();
    sinon.restore();
  });

  const DOWN = new HttpError(errorText("lastStatus", { status: 503 }), { statusCode: 503 });
  const fail = (...sites: string[]): void => {
    for (const site of sites) gate.failed(DOWN, site, turn(site));
  };
  const failInPast = (...sites: string[]): void => {
    for (const site of sites) gate.failed(DOWN, site, { ...turn(site), reachesBack: true });
  };
  const turn = (site = "probe"): Turn => ({ startedAt: performance.now(), site });
  const succeed = (site: string): void => gate.observe({ status: 200 }, turn(site));
  const hurry = (priority: Priority, site: string): void => gate.hurry({ id: "", priority }, site);
  /** A request that starts now and fails. */
  const probe = (site = "probe", error: EnergyError = DOWN): void => {
    const own = turn(site);
    gate.start(own, false);
    assert.equal(gate.waitMs(), Number.POSITIVE_INFINITY);
    gate.failed(error, site, own);
    gate.end(own, false);
  };
  const mode = (): string | undefined => gate.state.breaker?.mode;
  /** Seconds until a request may start. */
  const wait = (): number => Math.round(gate.waitMs() / SECOND);
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
      assert.equal(gate.refusal(), undefined);
      assert.equal(wait(), seconds);
      clock.tick(seconds * SECOND);
      probe();
    }
    assert.equal(mode(), "open");
    const error = gate.downError ?? assert.fail();
    assert.deepEqual([error.code, error.details.statusCode, error.retryIn], ["ENERGY_HTTP", 503, 5]);
    assert.match(error.message, /\(503\)\..* The service fails for all sites\. Next attempt in 5 s\.$/);
  });

  it("refuses requests for more than the present, which may fail in any case, until another has succeeded", () => {
    fail("a", "b", "c");
    assert.equal(gate.refusal(), undefined);
    assert.ok(gate.refusal(false, true));
    openAfterRetries();
    clock.tick(5 * SECOND);
    assert.equal(gate.refusal(), undefined);
    assert.ok(gate.refusal(false, true));
    succeed("a");
    assert.equal(gate.refusal(false, true), undefined);
  });

  it("is not opened by one or two sites, however often they fail", () => {
    for (let times = 0; times < 20; times += 1) fail("a", "b");
    assert.equal(mode(), undefined);
  });

  it("is not opened by sites that fail while others succeed", () => {
    for (let times = 0; times < 5; times += 1) {
      fail("a", "b");
      succeed("d");
      fail("c");
      succeed("e");
    }
    fail("a", "b", "c", "a", "b", "c");
    assert.equal(mode(), undefined);
    succeed("a");
    fail("x", "y", "a");
    assert.equal(mode(), "testing");
  });

  it("is not opened again by sites that have an answer for the present, and fail for all else", () => {
    for (let times = 0; times < 2; times += 1) {
      failInPast("a", "b", "c");
      assert.equal(mode(), times === 0 ? "testing" : undefined);
      for (const site of ["a", "b", "c"]) succeed(site);
    }
    fail("a", "b", "c");
    assert.equal(mode(), "testing");
  });

  it("is not opened by two sites that fail for the present and for all else", () => {
    failInPast("a", "b");
    fail("a", "b");
    assert.equal(mode(), undefined);
  });

  it("is not opened by requests of no site", () => {
    fail("", "a", "", "b", "");
    assert.equal(mode(), undefined);
  });

  it("is not closed by a list of sites that can be read while nothing can be read of them", () => {
    fail("a", "b");
    succeed("");
    fail("c");
    assert.equal(mode(), "testing");
    succeed("");
    assert.equal(mode(), "testing");
  });

  for (const status of [200, 404, 503])
    it(`lets a site find out whether the service is back after a list has got ${status}`, () => {
      openAfterRetries();
      clock.tick(5 * SECOND);
      const list = turn("");
      gate.start(list, false);
      gate.observe({ status }, list);
      gate.end(list, false);
      assert.equal(mode(), "open");
      assert.equal(gate.refusal(), undefined);
      assert.equal(wait(), 0);
    });

  it("is not closed by the refusal of a single site, unless that site probes", () => {
    fail("a", "b", "c");
    gate.observe({ status: 404 }, turn());
    assert.equal(mode(), "testing");
    const own = turn();
    gate.start(own, false);
    gate.observe({ status: 404 }, own);
    assert.equal(mode(), undefined);
  });

  it("closes as soon as a request succeeds", () => {
    fail("a", "b", "c");
    clock.tick(SECOND);
    succeed("d");
    assert.equal(mode(), undefined);
    fail("e", "f", "g");
    assert.equal(mode(), "testing");
    succeed("d");
    assert.equal(gate.refusal(), undefined);
    assert.equal(wait(), 0);
  });

  it("probes after 5 s, and then half as often each time, down to once a minute", () => {
    openAfterRetries();
    const pauses = Array.from({ length: 7 }, () => {
      const pause = wait();
      clock.tick(pause * SECOND);
      assert.equal(gate.refusal(), undefined);
      probe();
      return pause;
    });
    assert.deepEqual(pauses, [5, 10, 20, 40, 60, 60, 60]);
  });

  it("lets one request probe at a time, and the others wait for it", () => {
    openAfterRetries();
    clock.tick(5 * SECOND);
    const own = turn();
    gate.start(own, false);
    assert.equal(gate.waitMs(), Number.POSITIVE_INFINITY);
    assert.equal(gate.refusal(), undefined);
    // One that was in flight before.
    gate.failed(DOWN, "old", turn("old"));
    gate.end(own, false);
    assert.equal(wait(), 0);
  });

  it("lets someone who waits probe sooner, but not every time", () => {
    openAfterRetries();
    clock.tick(2 * SECOND);
    hurry("user", "a");
    assert.ok(gate.refusal());
    clock.tick(SECOND);
    hurry("schedule", "a");
    assert.ok(gate.refusal());
    hurry("user", "a");
    assert.equal(gate.refusal(), undefined);
    probe();
    hurry("user", "a");
    assert.ok(gate.refusal());
  });

  it("lets what has not failed probe sooner, because it may work while other sites never do", () => {
    openAfterRetries();
    clock.tick(2 * SECOND);
    hurry("schedule", "d");
    assert.ok(gate.refusal());
    clock.tick(SECOND);
    hurry("backlog", "probe");
    assert.ok(gate.refusal());
    hurry("backlog", "d");
    assert.equal(gate.refusal(), undefined);
    probe("d");
    clock.tick(4 * SECOND);
    hurry("backlog", "d");
    assert.ok(gate.refusal());
    hurry("backlog", "");
    assert.equal(gate.refusal(), undefined);
  });

  it("opens at once if what requests need cannot be had, after retries of its own", () => {
    const error = new NetworkError("noAnswer", { seconds: 30 });
    for (const site of ["a", "b", "c", "d", "e"]) gate.failed(error, site);
    assert.equal(gate.refusal()?.code, "ENERGY_NETWORK");
    assert.equal(wait(), 5);
    clock.tick(5 * SECOND);
    for (const site of ["a", "b", "c", "d", "e"]) gate.failed(error, site);
    assert.equal(wait(), 10);
  });

  it("waits for a timeout only twice before it opens", () => {
    const error = new TimeoutError("noAnswer", { seconds: 30 });
    for (const site of ["a", "b", "c"]) gate.failed(error, site, turn(site));
    clock.tick(SECOND);
    probe("d", error);
    assert.equal(mode(), "open");
  });
});
