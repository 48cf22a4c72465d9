// The default settings of mqtt readings, for tests of what it publishes.
import type { PublishRule } from "../../src/mqtt/publications";

export const PUBLISH_RULE: PublishRule = {
  prefix: "energy",
  layout: "json",
  discovery: true,
  discoveryPrefix: "homeassistant",
  language: "en",
  expireAfter: 1_800_000,
  retain: false,
  qos: 1,
};
