// What flows depend on: the outputs and properties of every node, with their default values.

const SERVICE = { name: "", account: "" };
const BY_INPUT = { repeat: 0, onDeploy: false };
const SITE = { siteId: "", siteIdType: "str" };
const SYSTEM = { systemId: "", systemIdType: "str" };
const POLL = {
  startFrom: "now",
  startHours: 24,
  output: "record",
  maxAge: "",
  lookBack: 0,
  fillGaps: true,
  gapHours: 72,
  store: "file",
  delivery: "sent",
  confirmTimeout: 60,
  maxUnconfirmed: 100,
};

interface FlowNode {
  outputs?: number;
  defaults: Record<string, unknown>;
}

/** By short name of the node. */
export const FLOW_NODES: Record<string, FlowNode> = {
  account: {
    defaults: {
      name: "",
      service: "live",
      baseUrl: "",
      apiVersion: "2026-01-01.preview",
      versionHeader: "VendorApi-Version",
      timeout: 30,
      concurrency: 4,
      requestsPerMinute: 0,
      tls: "",
      proxy: "",
    },
  },
  "site-list": { outputs: 1, defaults: { ...SERVICE, ...BY_INPUT, output: "list" } },
  "site-info": { outputs: 1, defaults: { ...SERVICE, ...SITE, ...BY_INPUT } },
  "telemetry-poll": {
    outputs: 2,
    defaults: { ...SERVICE, ...SITE, ...SYSTEM, ...POLL, includeInverter: false, repeat: 5, onDeploy: true },
  },
  "latest-value": {
    outputs: 2,
    defaults: { ...SERVICE, ...SITE, ...SYSTEM, ...BY_INPUT, path: "", maxAge: "", includeInverter: false },
  },
  "rgm-read": {
    outputs: 1,
    defaults: { ...SERVICE, ...SITE, ...SYSTEM, ...BY_INPUT, ...POLL, mode: "latest" },
  },
  history: {
    outputs: 2,
    defaults: {
      ...SERVICE,
      ...SITE,
      ...SYSTEM,
      ...BY_INPUT,
      source: "telemetry",
      range: "last24h",
      from: "",
      to: "",
      output: "record",
      includeInverter: false,
    },
  },
  alerts: {
    outputs: 1,
    defaults: {
      ...SERVICE,
      ...SITE,
      ...BY_INPUT,
      scope: "account",
      output: "list",
      severities: [],
      otherSeverities: true,
      firstRun: "all",
    },
  },
  mqtt: {
    outputs: 1,
    defaults: {
      name: "",
      prefix: "energy",
      layout: "json",
      qos: 1,
      retain: false,
      discovery: true,
      discoveryPrefix: "homeassistant",
      language: "en",
      expireAfter: 1800,
    },
  },
  totals: {
    outputs: 1,
    defaults: {
      ...SERVICE,
      ...SITE,
      ...SYSTEM,
      period: "today",
      split: "none",
      unit: "kWh",
      priority: "house",
      importPrice: "",
      importPriceType: "num",
      exportPrice: "",
      exportPriceType: "num",
      fixed: 0,
      fixedPer: "day",
      delivery: 0,
      currency: "EUR",
      netting: "none",
      ...BY_INPUT,
    },
  },
  statistics: { outputs: 2, defaults: { name: "", prefix: "energy_sites", costs: true, dashboard: false } },
  points: { outputs: 1, defaults: { name: "", target: "influxdb", measurement: "energy" } },
  threshold: {
    outputs: 3,
    defaults: {
      name: "",
      property: "payload",
      propertyType: "msg",
      high: "",
      low: "",
      hold: 0,
      maxAge: "",
      repeat: 0,
      min: "",
      max: "",
    },
  },
};
