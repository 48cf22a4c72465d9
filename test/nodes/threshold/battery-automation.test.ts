// Tests of the battery automation example: the charger stops while the state of charge is unknown, and resumes afterwards.
import assert from "node:assert/strict";
import sinon from "sinon";
import { MINUTE } from "../../../src/time-units";
import { type BatteryAutomation, startBatteryAutomation } from "../../support/battery-automation";
import { startService, type TestService } from "../../support/service";
import { temporaryFolder } from "../../support/temporary";

describe("the battery automation example", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let home: BatteryAutomation;
  let userDir: string;

  beforeEach(async () => {
    const now = Date.UTC(2026, 5, 10, 10, 7);
    clock = sinon.useFakeTimers({ now, toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
    service = await startService();
    userDir = temporaryFolder();
    charged(90);
    home = await startBatteryAutomation(service, clock, userDir);
    await home.runs(1);
    assert.deepEqual(home.orders(), ["start"]);
  });
  afterEach(async () => {
    await home.stop();
    await service.close();
    clock.restore();
  });

  /** The state of charge of the house battery, in percent. */
  function charged(stateOfCharge: number | null): void {
    service.changeRecords((_siteId, _systemId, record) => ({
      ...record,
      storage: { stateOfCharge },
    }));
  }

  const fail = (times: number): void => service.fault({ path: /telemetry/, status: 503, times });

  async function restart(minutes: number): Promise<void> {
    await home.stop();
    await clock.tickAsync(minutes * MINUTE);
    home = await startBatteryAutomation(service, clock, userDir);
  }

  /** The orders without those that only repeat the one before. */
  const changes = (before: string): unknown[] =>
    home.orders().filter((order, index, all) => order !== (index === 0 ? before : all[index - 1]));

  it("keeps charging through a failed read", async () => {
    fail(20);
    await home.runs(1);
    service.clearFaults();
    await home.runs(3);
    assert.deepEqual(changes("start"), []);
  });

  it("repeats the order, for a charger that was switched off meanwhile", async () => {
    await home.runs(5);
    assert.deepEqual(home.orders(), ["start", "start"]);
  });

  it("says nothing after a restart with a fresh value, and repeats the order later", async () => {
    await restart(5);
    await home.runs(1);
    assert.deepEqual(home.orders(), []);
    await home.runs(3);
    assert.deepEqual(home.orders(), ["start"]);
  });

  it("stops at once after a restart with an old value, and starts again with the first fresh one", async () => {
    await restart(60);
    await home.runs(1);
    assert.deepEqual(home.orders(), ["stop", "start"]);
  });

  it("stops in an outage of half an hour, and starts again afterwards", async () => {
    fail(10_000);
    await home.runs(6);
    assert.deepEqual(changes("start"), ["stop"]);
    service.clearFaults();
    await home.runs(1);
    assert.deepEqual(home.orders(), ["start"]);
  });

  it("stops in an outage in which Node-RED restarts, and starts again afterwards", async () => {
    fail(10_000);
    await home.runs(1);
    await restart(5);
    await home.runs(6);
    assert.deepEqual(changes("start"), ["stop"]);
    await restart(5);
    await home.runs(2);
    assert.deepEqual(home.orders(), []);
    service.clearFaults();
    await home.runs(1);
    assert.deepEqual(home.orders(), ["start"]);
  });

  it("stops at once if the state of charge is 255, and starts again afterwards", async () => {
    charged(255);
    await home.runs(1);
    assert.deepEqual(changes("start"), ["stop"]);
    charged(90);
    await home.runs(1);
    assert.deepEqual(home.orders(), ["start"]);
  });

  it("charges on if every other state of charge is null", async () => {
    for (let count = 0; count < 8; count += 1) {
      charged(count % 2 === 0 ? null : 90);
      await home.runs(1);
    }
    assert.deepEqual(changes("start"), []);
  });

  it("stays off between the limits after an outage, until the battery is well charged", async () => {
    fail(10_000);
    await home.runs(5);
    assert.deepEqual(changes("start"), ["stop"]);
    service.clearFaults();
    charged(40);
    await home.runs(3);
    assert.deepEqual(home.orders(), []);
    charged(60);
    await home.runs(1);
    assert.deepEqual(home.orders(), ["start"]);
  });
});
