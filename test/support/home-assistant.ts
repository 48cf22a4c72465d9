// Simulates Home Assistant: receives discovery messages and sensor states.
import assert from "node:assert/strict";
import { type Component, type Discovery, discoveryFaults } from "./discovery-schema";

export interface Published {
  topic: string;
  payload: string;
  retain: boolean;
}

const CONDITIONAL = /^\{\{ value_json\.(\w+)\.(\w+) if value_json\.(\w+) else None \}\}$/;
const END_TIME = "{{ value_json.endTime }}";

export class HomeAssistant {
  readonly #devices = new Map<string, Discovery>();
  /** All states of each entity so far, by unique id. */
  readonly #states = new Map<string, (string | null)[]>();

  constructor(private readonly prefix = "homeassistant") {}

  receive(messages: Published[]): void {
    for (const { topic, payload, retain } of messages) {
      if (topic.startsWith(`${this.prefix}/device/`)) this.#discover(topic, payload, retain);
      else for (const component of this.#listening(topic)) this.#update(component, payload);
    }
  }

  deviceIds(): string[] {
    return [...this.#devices.values()].flatMap(({ device }) => device.identifiers);
  }

  device(id: string): Discovery {
    const found = [...this.#devices.values()].find(({ device }) => device.identifiers.includes(id));
    assert.ok(found, `no device ${id}, only ${this.deviceIds().join(", ")}`);
    return found;
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

  #update({ unique_id: id, value_template: template }: Component, payload: string): void {
    const state = template === undefined ? payload : rendered(template, payload);
    this.#states.set(id, [...(this.#states.get(id) ?? []), state]);
  }
}

/** Supports only the templates in use; any other fails the test. */
function rendered(template: string, payload: string): string | null {
  const json = JSON.parse(payload) as Record<string, Record<string, unknown> | string | null>;
  const { endTime } = json;
  if (template === END_TIME && typeof endTime === "string") return endTime;
  const [, group = "", field = "", condition = ""] = CONDITIONAL.exec(template) ?? [];
  assert.ok(group !== "" && group === condition && group in json, `${template} on ${payload}`);
  const fields = json[group];
  if (fields === null) return null;
  assert.ok(typeof fields === "object" && field in fields, `${template} on ${payload}`);
  const value = fields[field];
  return value === null ? null : `${value as number | string}`;
}
