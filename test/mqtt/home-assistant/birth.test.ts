// Tests for the birth message: text or buffer under the status topic, and nothing else.
import assert from "node:assert/strict";
import { homeAssistantStatus } from "../../../src/mqtt/home-assistant/discovery";

const TOPIC = "homeassistant/status";

describe("birth message of Home Assistant", () => {
  it("is text or a buffer under the discovery prefix", () => {
    assert.equal(homeAssistantStatus({ topic: TOPIC, payload: "online" }, "homeassistant"), "online");
    assert.equal(
      homeAssistantStatus({ topic: "ha/status", payload: Buffer.from("offline") }, "ha"),
      "offline",
    );
  });

  it("has no other form", () => {
    for (const message of [
      { topic: "other/status", payload: "online" },
      { topic: TOPIC, payload: { online: true } },
      { topic: TOPIC, payload: "online", energy: { kind: "telemetry" } },
    ])
      assert.equal(homeAssistantStatus(message, "homeassistant"), undefined);
  });
});
