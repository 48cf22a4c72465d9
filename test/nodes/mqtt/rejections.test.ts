// Tests for what mqtt readings rejects: messages that are no records, and settings that are not valid.
import assert from "node:assert/strict";
import sinon from "sinon";
import { MINUTE } from "../../../src/time-units";
import { type MqttNode, recordAt, startMqtt, telemetry } from "../../support/mqtt-node";

const NOW = Date.UTC(2026, 5, 10, 10, 7);
const END = NOW - 2 * MINUTE;

describe("mqtt readings rejects, and sends nothing for", () => {
  let clock: sinon.SinonFakeTimers;
  let node: MqttNode;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW, toFake: ["Date"] });
  });
  afterEach(async () => {
    await node.stop();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startMqtt({ discovery: false, ...properties });
  };

  const RECORD = /The payload is not a record \(it is /;
  for (const [name, message, text] of [
    ["a message without a record", telemetry({}, {}, { payload: undefined }), RECORD],
    ["a number", telemetry({}, {}, { payload: 5 }), RECORD],
    ["null", telemetry({}, {}, { payload: null }), RECORD],
    ["a record without times", telemetry({ grid: { power: 1 } }), /The record has no valid startTime/],
    ["a record whose end cannot be read", telemetry({ ...recordAt(END), endTime: "noon" }), /endTime/],
    [
      "a record whose times are null",
      telemetry({ ...recordAt(END), startTime: null, endTime: null }),
      /The record has no valid startTime and endTime\. Pass it on unchanged/,
    ],
    ["a batch of nothing but bad records", telemetry([{ grid: { power: 1 } }, 5]), /no valid startTime/],
    ["a record of no site", telemetry(recordAt(END), {}, { siteId: undefined }), /Set msg\.siteId/],
    ["a site that is not text", telemetry(recordAt(END), {}, { siteId: 7 }), /Set msg\.siteId/],
    ["a site that cannot be encoded", telemetry(recordAt(END), {}, { siteId: "\ud800" }), /Set msg\.siteId/],
    [
      "a system that is not text",
      telemetry(recordAt(END), {}, { systemId: {} }),
      /msg\.systemId is not a valid system id/,
    ],
    [
      "output 2 of latest value",
      {
        payload: null,
        siteId: "home",
        energy: { kind: "latest-value", reason: "stale", record: recordAt(END) },
      },
      /Connect output 1/,
    ],
  ] as const) {
    it(name, async () => {
      await start();
      const { code, message: errorMessage, sent } = await node.rejection(message);
      assert.deepEqual([code, sent], ["ENERGY_INPUT", 0]);
      assert.match(errorMessage, text);
      assert.equal(node.statuses().at(-1), "bad input");
    });
  }

  for (const [name, properties, text] of [
    ["a prefix with wildcards", { prefix: "energy/#" }, /Topic prefix must be a topic/],
    ["a prefix with a wildcard for one level", { prefix: "energy/+/home" }, /without \+ or #/],
    ["an empty prefix", { prefix: "" }, /Topic prefix must be a topic/],
    ["a discovery prefix with wildcards", { discoveryPrefix: "+" }, /Discovery prefix must be a topic/],
    ["an unknown layout", { layout: "xml" }, /Unknown value for Layout: xml\. Choose one of: json, values/],
    ["a QoS that does not exist", { qos: 3 }, /QoS: 3\. Choose one of: 0, 1, 2/],
    [
      "an expiry of 0 without discovery",
      { discovery: false, expireAfter: 0 },
      /\(s\) must be a number from 0.6/,
    ],
    ["an expiry that is not a number", { expireAfter: "soon" }, /\(s\) must be a number from 0.6 to 604800/],
  ] as const) {
    it(name, async () => {
      await start({ discovery: true, ...properties });
      const { code, message, sent } = await node.rejection(telemetry(recordAt(END)));
      assert.deepEqual([code, sent], ["ENERGY_CONFIG", 0]);
      assert.match(message, text);
    });
  }
});
