// Validates device-based discovery messages for sensors, based on the Home Assistant documentation.

/** The state classes and units for each device class; Home Assistant rejects other combinations. */
const SENSOR_CLASSES: Record<string, { states: unknown[]; units: unknown[] }> = {
  power: { states: ["measurement"], units: ["W", "kW"] },
  energy: { states: ["total", "total_increasing"], units: ["Wh", "kWh"] },
  energy_storage: { states: ["measurement"], units: ["Wh", "kWh"] },
  battery: { states: ["measurement"], units: ["%"] },
  timestamp: { states: [undefined], units: [undefined] },
  none: { states: ["measurement", undefined], units: ["%", undefined] },
};

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
  "expire_after",
  "availability",
  "availability_mode",
  "qos",
  "icon",
  "enabled_by_default",
];
const PLATFORM_KEYS: Record<string, string[]> = {
  sensor: [...SHARED_KEYS, "state_class", "unit_of_measurement", "suggested_display_precision"],
  binary_sensor: [...SHARED_KEYS, "payload_on", "payload_off"],
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
  availability: { topic: string }[];
}

/** Describes everything that is wrong with a discovery message. */
export function discoveryFaults(topic: string, payload: string): string[] {
  const config = JSON.parse(payload) as Discovery;
  const faults: string[] = [];
  const expect = (isRight: unknown, fault: string): void => {
    if (!isRight) faults.push(fault);
  };
  expect(/^[\w-]+(\/[\w-]+)*\/device\/[A-Za-z0-9_-]+\/config$/.test(topic), `topic ${topic}`);
  const { device, origin, components, availability } = config;
  for (const key of Object.keys(config)) expect(ROOT_KEYS.includes(key), `root key ${key}`);
  for (const key of Object.keys(device)) expect(DEVICE_KEYS.includes(key), `device key ${key}`);
  expect(device.identifiers.length > 0 && device.name !== "", "device without identifiers or name");
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
  const { platform, device_class: deviceClass = "none", expire_after: expiry, entity_category } = component;
  const keys = PLATFORM_KEYS[platform];
  if (!keys) return [`platform ${platform}`];
  const faults = Object.keys(component).flatMap((key) => (keys.includes(key) ? [] : [`key ${key}`]));
  if (![0, 1, 2].includes(Number(component["qos"]))) faults.push("qos");
  if (!component.unique_id || !component.name) faults.push("no unique_id or name");
  const slug = "(?!_)(?!.*__)[a-z0-9_]+(?<!_)";
  if (!new RegExp(`^${platform}\\.${slug}$`).test(component.default_entity_id))
    faults.push("default_entity_id");
  if (!isTopic(component.state_topic)) faults.push(`state_topic ${component.state_topic}`);
  if (!Number.isInteger(expiry) || Number(expiry) < 1) faults.push("expire_after");
  if (![undefined, "diagnostic"].includes(entity_category as string | undefined))
    faults.push("entity_category");
  if (platform === "binary_sensor") return deviceClass === "problem" ? faults : [...faults, "device_class"];
  const pairs = SENSOR_CLASSES[String(deviceClass)];
  if (!pairs) return [...faults, `device_class ${String(deviceClass)}`];
  if (!pairs.states.includes(component["state_class"])) faults.push("state_class");
  if (!pairs.units.includes(component["unit_of_measurement"])) faults.push("unit_of_measurement");
  return faults;
}

function isTopic(topic: string): boolean {
  return topic.split("/").every((level) => /^[^+#\s$]+$/.test(level));
}
