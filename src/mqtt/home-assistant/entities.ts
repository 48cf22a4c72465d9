// What every entity in Home Assistant has: its key, which identifies it and must never change, its name, state and traits.
import { MAX_STATE_LENGTH } from "../../limits";
import type { Basis } from "../../models/measurements";
import { shownText } from "../../shown-text";
import type { Language } from "../publications";
import de from "./names/de.json";
import en from "./names/en.json";
import es from "./names/es.json";
import fr from "./names/fr.json";
import ja from "./names/ja.json";
import zh from "./names/zh-CN.json";

export type NameKey = keyof typeof en;

/** The names of entities, by their keys: Home Assistant never translates names from MQTT. */
export const NAMES: Record<Language, Readonly<Record<NameKey, string>>> = { en, de, fr, es, ja, "zh-CN": zh };

/** One entity of a device of whatever kind. */
export interface Entity {
  /** Identifies it within its device. */
  readonly key: string;
  readonly name: NameKey;
  /** The period that its name has in addition. */
  readonly period?: NameKey;
  /** The state that has its value: the end of its topic, after that of the device. */
  readonly state: string;
  /** Fields of its discovery message, in the terms of Home Assistant. A sensor, unless they say otherwise. */
  readonly traits: Traits;
  /** The unit among those of the device, if it is not always the same. */
  readonly unit?: string;
  /** Of a reading, and its side if that is the same for every generation. */
  readonly group?: string;
  readonly basis?: Basis;
  /** Its value expires after this many times as long as a record is valid. */
  readonly expires?: number;
}

export type Traits = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export const DIAGNOSTIC = { entity_category: "diagnostic" };
/** Not on the dashboards that Home Assistant makes by itself, from 2026.7 on; earlier versions ignore it. */
export const RARELY_SEEN = { ...DIAGNOSTIC, visible_by_default: false };
export const PERCENTAGE = {
  state_class: "measurement",
  unit_of_measurement: "%",
  suggested_display_precision: 1,
};

/** How many alerts or sites attributes list: Home Assistant stores no more than 16 KiB. */
export const MAX_LISTED = 20;

/** A text of the service as a state or attribute. */
export function stateText(given: string): string {
  return shownText(given, MAX_STATE_LENGTH);
}

/** An entity that shows a field of a state. */
export function fieldEntity(key: NameKey, state: string, field: string, traits: Traits): Entity {
  return { key, name: key, state, traits: { ...traits, value_template: `{{ value_json.${field} }}` } };
}
