// Tests for the pace of runs over hundreds of sites: no burst, the same order in each run, and an early end after a deploy.
import assert from "node:assert/strict";
import { MINUTE } from "../../../../../src/time-units";
import { Fleet } from "../../../../support/fleet";

const SITES = 200;
const SECOND = 1000;

describe("runs over hundreds of sites", () => {
  let fleet: Fleet;

  beforeEach(async () => {
    fleet = await Fleet.open(SITES, 4);
  });
  afterEach(() => fleet.close());

  const start = (properties: Record<string, unknown>): Promise<void> =>
    fleet.start("energy-latest-value", properties);
  const passUntil = async (requests: number, step: number): Promise<void> => {
    while (fleet.sites.requested().length < requests) await fleet.pass(step / MINUTE, step);
  };
  /** The most requests in any second, and the seconds from the first to the last. */
  const pace = (): { most: number; seconds: number } => {
    const times = fleet.service.requestsTo(/telemetry$/).map(({ at }) => at);
    const most = Math.max(
      ...times.map(
        (time, index) => times.slice(index, index + 100).filter((at) => at < time + SECOND).length,
      ),
    );
    return { most, seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / SECOND };
  };

  it("are spread over the interval without a burst, in the same order each time", async () => {
    await start({});
    await passUntil(SITES, SECOND);
    const { most, seconds } = pace();
    assert.ok(most <= 6, `${most} requests in a second`);
    assert.ok(seconds >= 240 && seconds <= 275, `${seconds} s`);
    await passUntil(SITES + 50, SECOND);
    const requested = fleet.sites.requested();
    assert.deepEqual(requested.slice(0, 50).toSorted(), requested.slice(SITES, SITES + 50).toSorted());
  });

  it("are over within a minute after a deploy", async () => {
    await start({ onDeploy: true, repeat: 60 });
    await passUntil(SITES, SECOND / 4);
    const { most, seconds } = pace();
    assert.ok(seconds <= 35, `${seconds} s`);
    assert.ok(most <= 60, `${most} requests in a second`);
  });
});
