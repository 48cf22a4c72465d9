// Simulates Home Assistant: receives discovery messages, states and events.
import assert from "node:assert/strict";
import { type Component, type Discovery, discoveryFaults } from "./discovery-schema";

export interface Published {
  topic: string;
  payload: string;
  retain: boolean;
}

const CONDITIONAL = /^\{\{ value_json\.(\w+)\.(\w+) if value_json\.(\w+) else None \}\}$/;
const PLAIN = /^\{\{ value_json\.(\w+) \}\}$/;
const ATTRIBUTES = "{{ {'asOf': value_json.asOf, 'alerts': value_json.alerts} | tojson }}";
const SITES = "{{ {'sites': value_json.sites} | tojson }}";

export class HomeAssistant {
  readonly #devices = new Map<string, Discovery>();
  /** All states of each entity so far, by unique id. */
  readonly #states = new Map<string, (string | null)[]>();

  readonly #attributes = new Map<string, Record<string, unknown>>();

  constructor(private readonly prefix = "homeassistant") {}

  receive(messages: Published[]): void {
    for (const { topic, payload, retain } of messages) {
      if (topic.startsWith(`${this.prefix}/device/`)) this.#discover(topic, payload, retain);
      else for (const component of this.#listening(topic)) this.#update(component, payload);
    }
  }

  deviceIds(): string[] {
    return [...new Set([...this.#devices.values()].flatMap(({ device }) => device.identifiers))];
  }

  /** A device with its entities; several discovery messages may describe parts of it. */
  device(id: string): Discovery {
    const parts = [...this.#devices.values()].filter(({ device }) => device.identifiers.includes(id));
    const [first] = parts;
    assert.ok(first, `no device ${id}, only ${this.deviceIds().join(", ")}`);
    return {
      ...first,
      device: Object.assign({}, ...parts.map(({ device }) => device)) as Discovery["device"],
      components: Object.assign({}, ...parts.map(({ components }) => components)) as Discovery["components"],
    };
  }

  /** The attributes of an entity, as of its last state. */
  attributes(deviceId: string, key: string): Record<string, unknown> {
    return this.#attributes.get(this.device(deviceId).components[key]?.unique_id ?? "") ?? {};
  }

  /** All states of an entity so far, as text; null means unknown. */
  states(deviceId: string, key: string): (string | null)[] {
    return this.#states.get(this.device(deviceId).components[key]?.unique_id ?? "") ?? [];
  }

  /** The current state of every entity of a device, by key; undefined if none has been received. */
  present(deviceId: string): Record<string, string | null | undefined> {
    const keys = Object.keys(this.device(deviceId).components);
    return Object.fromEntries(keys.map((key) => [key, this.states(deviceId, key).at(-1)]));
  }

  #discover(topic: string, payload: string, retain: boolean): void {
    assert.equal(retain, true, "discovery is retained");
    if (payload === "") {
      this.#devices.delete(topic);
      return;
    }
    assert.deepEqual(discoveryFaults(topic, payload), []);
    const config = JSON.parse(payload) as Discovery;
    const { via_device: parent } = config.device;
    if (parent !== undefined) assert.ok(this.deviceIds().includes(parent), `${parent} is not known yet`);
    this.#devices.set(topic, config);
  }

  #listening(topic: string): Component[] {
    const all = [...this.#devices.values()].flatMap(({ components }) => Object.values(components));
    return all.filter((component) => component.state_topic === topic);
  }

  #update(component: Component, payload: string): void {
    const { unique_id: id, platform, value_template: template } = component;
    if (platform === "event") {
      const { event_type: type, ...attributes } = JSON.parse(payload) as Record<string, unknown>;
      assert.ok((component["event_types"] as unknown[]).includes(type), `event type ${String(type)}`);
      this.#attributes.set(id, attributes);
      this.#states.set(id, [...(this.#states.get(id) ?? []), String(type)]);
      return;
    }
    const state = template === undefined ? payload : rendered(template, payload);
    assert.ok((state ?? "").length <= 255, `state of ${id}`);
    this.#states.set(id, [...(this.#states.get(id) ?? []), state]);
    if (component["json_attributes_topic"] === undefined) return;
    const { sites, ...others } = JSON.parse(payload) as Record<string, unknown>;
    if (component["json_attributes_template"] === SITES) {
      this.#attributes.set(id, { sites });
      return;
    }
    assert.equal(component["json_attributes_template"], ATTRIBUTES);
    const { asOf, alerts } = others;
    this.#attributes.set(id, { asOf, alerts });
  }
}

/** Supports only the templates in use; any other fails the test. */
function rendered(template: string, payload: string): string | null {
  const json = JSON.parse(payload) as Record<string, Record<string, unknown> | string | number | null>;
  const [, plain] = PLAIN.exec(template) ?? [];
  if (plain !== undefined) {
    const value = json[plain];
    assert.ok(value === null || typeof value !== "object", `${template} on ${payload}`);
    assert.ok(plain in json, `${template} on ${payload}`);
    return value === null ? null : String(value);
  }
  const [, group = "", field = "", condition = ""] = CONDITIONAL.exec(template) ?? [];
  assert.ok(group !== "" && group === condition && group in json, `${template} on ${payload}`);
  const fields = json[group];
  if (fields === null) return null;
  assert.ok(typeof fields === "object" && field in fields, `${template} on ${payload}`);
  const value = fields[field];
  return value === null ? null : `${value as number | string}`;
}
