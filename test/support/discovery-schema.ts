// Validates device-based discovery messages, based on the Home Assistant documentation.

/** The state classes and units for each device class; Home Assistant rejects other combinations. */
const SENSOR_CLASSES: Record<string, { states: unknown[]; units: unknown[] }> = {
  power: { states: ["measurement"], units: ["W", "kW"] },
  energy: { states: ["total", "total_increasing"], units: ["Wh", "kWh"] },
  energy_storage: { states: ["measurement"], units: ["Wh", "kWh"] },
  battery: { states: ["measurement"], units: ["%"] },
  monetary: { states: ["total"], units: ["EUR", "JPY"] },
  timestamp: { states: [undefined], units: [undefined] },
  none: { states: ["measurement", undefined], units: ["%", undefined] },
};
/** What readings and charges say is soon no longer true, so their entities must expire. */
const EXPIRING_TOPICS = /\/(state\/(telemetry|rgm)|stale)$/;
const EXPIRING_CLASS = "battery";

const ROOT_KEYS = ["device", "origin", "components", "availability", "availability_mode"];
const DEVICE_KEYS = ["identifiers", "name", "model", "model_id", "serial_number", "via_device"];
const SHARED_KEYS = [
  "platform",
  "unique_id",
  "default_entity_id",
  "name",
  "device_class",
  "entity_category",
  "state_topic",
  "value_template",
  "availability",
  "availability_mode",
  "qos",
  "icon",
  "enabled_by_default",
  "visible_by_default",
  "json_attributes_topic",
  "json_attributes_template",
];
const PLATFORM_KEYS: Record<string, string[]> = {
  sensor: [
    ...SHARED_KEYS,
    "expire_after",
    "state_class",
    "unit_of_measurement",
    "suggested_display_precision",
    "last_reset_value_template",
  ],
  binary_sensor: [...SHARED_KEYS, "expire_after", "payload_on", "payload_off"],
  event: [...SHARED_KEYS, "event_types"],
};

export interface Component {
  platform: string;
  unique_id: string;
  default_entity_id: string;
  name: string;
  state_topic: string;
  value_template?: string;
  [option: string]: unknown;
}

export interface Discovery {
  device: { identifiers: string[]; name: string; via_device?: string; [fact: string]: unknown };
  origin: { name: string };
  components: Record<string, Component>;
  availability?: { topic: string }[];
}

/** Describes everything that is wrong with a discovery message. */
export function discoveryFaults(topic: string, payload: string): string[] {
  const config = JSON.parse(payload) as Discovery;
  const faults: string[] = [];
  const expect = (isRight: unknown, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  expect(/^[\w-]+(\/[\w-]+)*\/device\/[A-Za-z0-9_-]+\/config$/.test(topic), `topic ${topic}`);
  const { device, origin, components, availability = [] } = config;
  for (const key of Object.keys(config)) expect(ROOT_KEYS.includes(key), `root key ${key}`);
  for (const key of Object.keys(device)) expect(DEVICE_KEYS.includes(key), `device key ${key}`);
  expect(device.identifiers.length > 0 && device.name !== "", "device without identifiers or name");
  const texts = Object.entries(device).filter(([key]) => key !== "identifiers");
  for (const [key, text] of texts) expect(isShortText(text), `device ${key}`);
  expect(device.via_device !== device.identifiers[0], "device linked to itself");
  expect(origin.name !== "" && !("sw_version" in origin), "origin without a name, or with a version");
  expect(Object.keys(components).length > 0, "no components");
  expect(
    availability.every(({ topic: one }) => isTopic(one)),
    "availability topics",
  );
  const all = Object.values(components);
  for (const key of ["unique_id", "default_entity_id"])
    expect(new Set(all.map((component) => component[key])).size === all.length, `${key} twice`);
  for (const [key, component] of Object.entries(components))
    faults.push(...componentFaults(component).map((fault) => `${key}: ${fault}`));
  return faults;
}

function componentFaults(component: Component): string[] {
  const { platform, icon, enabled_by_default: isEnabled, visible_by_default: isVisible } = component;
  const keys = PLATFORM_KEYS[platform];
  if (!keys) return [`platform ${platform}`];
  const faults = Object.keys(component).flatMap((key) => (keys.includes(key) ? [] : [`key ${key}`]));
  const expect = (isRight: unknown, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  expect([0, 1, 2].includes(Number(component["qos"])), "qos");
  expect(component.unique_id && isShortText(component.name), "no unique_id or name");
  const slug = "(?!_)(?!.*__)[a-z0-9_]+(?<!_)";
  expect(new RegExp(`^${platform}\\.${slug}$`).test(component.default_entity_id), "default_entity_id");
  expect(component.default_entity_id.length <= 255, "long default_entity_id");
  expect(isTopic(component.state_topic), `state_topic ${component.state_topic}`);
  expect([undefined, "diagnostic"].includes(component["entity_category"] as string), "entity_category");
  expect(icon === undefined || (typeof icon === "string" && /^mdi:[a-z0-9-]+$/.test(icon)), "icon");
  expect([undefined, true, false].includes(isEnabled as boolean), "enabled_by_default");
  expect([undefined, true, false].includes(isVisible as boolean), "visible_by_default");
  return [...faults, ...attributeFaults(component), ...(PLATFORM_FAULTS[platform]?.(component) ?? [])];
}

const PLATFORM_FAULTS: Record<string, (component: Component) => string[]> = {
  sensor: sensorFaults,
  binary_sensor: (component) => [
    ...(component["device_class"] === "problem" ? [] : ["device_class"]),
    ...expiryFaults(component),
  ],
  event({ event_types: types, device_class: deviceClass }) {
    const isList = Array.isArray(types) && types.length > 0 && types.every(isShortText);
    return [...(isList ? [] : ["event_types"]), ...(deviceClass === undefined ? [] : ["device_class"])];
  },
};

function sensorFaults(component: Component): string[] {
  const { device_class: given = "none" } = component;
  const deviceClass = typeof given === "string" ? given : "";
  const pairs = SENSOR_CLASSES[deviceClass];
  if (!pairs) return [`device_class ${deviceClass}`];
  const precision = component["suggested_display_precision"];
  return [
    ...(pairs.states.includes(component["state_class"]) ? [] : ["state_class"]),
    ...(pairs.units.includes(component["unit_of_measurement"]) ? [] : ["unit_of_measurement"]),
    ...(component["last_reset_value_template"] === undefined || component["state_class"] === "total"
      ? []
      : ["last_reset_value_template"]),
    ...(precision === undefined || Number.isInteger(precision) ? [] : ["suggested_display_precision"]),
    ...expiryFaults(component),
  ];
}

function expiryFaults({ expire_after: expiry, state_topic: topic, device_class }: Component): string[] {
  const mayBeMissing = !EXPIRING_TOPICS.test(topic) && device_class !== EXPIRING_CLASS;
  if (expiry === undefined) return mayBeMissing ? [] : ["no expire_after"];
  return Number.isInteger(expiry) && Number(expiry) > 0 ? [] : ["expire_after"];
}

function attributeFaults(component: Component): string[] {
  const { json_attributes_topic: topic, json_attributes_template: template } = component;
  if (topic === undefined) return template === undefined ? [] : ["json_attributes_template without a topic"];
  return typeof topic === "string" && isTopic(topic) ? [] : ["json_attributes_topic"];
}

function isShortText(text: unknown): boolean {
  return typeof text === "string" && text !== "" && text.length <= 600;
}

function isTopic(topic: string): boolean {
  return topic.split("/").every((level) => /^[^+#\s$]+$/.test(level));
}
