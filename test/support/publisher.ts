// Shared by tests of the publisher: a publisher without devices, its topics, and the records of one system.
import { FlatPublisher } from "./flat-publisher";
import type { IncomingRecord } from "../../src/mqtt/publications";
import type { Publication, PublishRule } from "../../src/mqtt/publications";
import { MINUTE } from "../../src/time-units";
import { PUBLISH_RULE } from "./publish-rule";

export const NOW = Date.UTC(2026, 5, 10, 10, 7);
export const SITE_CONFIG = "homeassistant/device/energy__home/config";
export const SYSTEM_CONFIG = "homeassistant/device/energy__home__a/config";

export const incoming = (end: number, rest: Partial<IncomingRecord> = {}): IncomingRecord => ({
  address: { siteId: "home", systemId: "a" },
  record: { startTime: "", endTime: "", grid: { power: 1, lifetimeImportedEnergy: end } },
  start: end - 5 * MINUTE,
  end,
  isLive: true,
  basis: {},
  validUntil: undefined,
  energy: {},
  ...rest,
});
export const createPublisher = (rule: Partial<PublishRule> = {}): FlatPublisher =>
  new FlatPublisher({ ...PUBLISH_RULE, ...rule }, new Map(), NOW);
export const topics = (publications: Publication[]): string[] => publications.map(({ topic }) => topic);
