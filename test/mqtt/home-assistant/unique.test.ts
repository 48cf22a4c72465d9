// Tests that no two devices share an id or a topic, whatever the ids of sites, systems and devices are.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type AlertsDevice, alertsId } from "../../../src/mqtt/home-assistant/alerts";
import { type Device, statesOf } from "../../../src/mqtt/home-assistant/device";
import { equipmentId } from "../../../src/mqtt/home-assistant/equipment";
import type { EquipmentDevice } from "../../../src/mqtt/home-assistant/equipment";
import { deviceId } from "../../../src/mqtt/home-assistant/discovery";
import { seriesTopic } from "../../../src/mqtt/publications";
import { PUBLISH_RULE } from "../../support/publish-rule";

const NO_VALUES = {
  stateOfCharge: null,
  stateOfHealth: null,
  moduleCount: null,
  lastHeardAt: null,
  deviceState: null,
  enabledState: null,
  highestAlertSeverity: null,
};
const id = fc.oneof(
  fc.constantFrom(
    "site",
    "alerts",
    "devices",
    "state",
    "_",
    "__",
    "_nB_n1",
    "_alerts",
    "a/b",
    "a__b",
    "1",
    "B",
  ),
  fc.string({ unit: "grapheme", minLength: 1 }),
);
const systemId = fc.option(id, { nil: undefined });
const alerts = fc.option(id, { nil: undefined }).map((siteId): AlertsDevice => ({
  kind: "alerts",
  id: alertsId("p", siteId),
  profile: siteId === undefined ? {} : { siteId },
  open: [],
  asOf: 0,
}));
const equipment = fc
  .record({
    siteId: id,
    systemId,
    deviceClass: id,
    key: fc.oneof(id, fc.nat(3)),
  })
  .map(({ systemId: system, deviceClass, ...rest }): EquipmentDevice => {
    const ofSystem = system === undefined ? {} : { systemId: system };
    // A device with an id is the same whatever its class.
    const ofClass = typeof rest.key === "string" ? {} : { deviceClass };
    const profile = { ...rest, ...ofSystem, ...ofClass, fields: [] };
    return {
      kind: "equipment",
      id: equipmentId("p", profile),
      profile,
      values: NO_VALUES,
      asOf: 0,
    };
  });
const device = fc.oneof(alerts, equipment);
const topicOf = (one: Device): string => statesOf(PUBLISH_RULE, one, 0)[0]?.topic ?? "";

describe("alerts and devices in Home Assistant", () => {
  it("have ids with the characters that discovery topics allow, and different ones for different devices", () => {
    fc.assert(
      fc.property(device, device, (one, other) => {
        assert.match(one.id, /^[A-Za-z0-9_-]+$/);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        assert.equal(one.id === other.id, isSame);
        assert.equal(topicOf(one) === topicOf(other), isSame);
      }),
    );
  });

  it("share no id with a system or site, and no topic with its records", () => {
    fc.assert(
      fc.property(device, id, systemId, (one, siteId, system) => {
        const address = { siteId, ...(system === undefined ? {} : { systemId: system }) };
        assert.notEqual(one.id, deviceId("p", address));
        const series = `${seriesTopic(PUBLISH_RULE.prefix, address)}/`;
        for (const word of ["live", "backlog", "state", "availability", "stale"])
          assert.equal(topicOf(one).startsWith(`${series}${word}`), false);
      }),
    );
  });
});
