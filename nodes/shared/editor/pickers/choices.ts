// Lists sites, systems and values as a field offers them, and says what the one in the field is. Pure, so that it can be tested without a browser.
import {
  folded,
  matcher,
  type SiteChoice,
  type SitesAnswer,
  type SystemChoice,
  type ValueNow,
} from "../../../../src/choices/choices";
import { isOfInverter, UNITS } from "../../../../src/models/measurements";
import { ALL } from "../../../../src/settings/rules";
import { shownText } from "../../../../src/shown-text";
import { sharedText } from "../texts";

/** After how long a list with charges that are still being read is loaded again. */
export const AGAIN = 2000;

/** Characters of the name of a field that this version does not know. */
const LONGEST = 24;
/** Languages that begin every noun with a capital letter. */
const CAPITAL_NOUNS = ["de"];
/** What the sign of a value means, as in "Battery power, + = discharging". */
const SIGN = /\s*[,，、]\s*[+＋].*$/u;

/** A row of the list: what is stored, what it is called, what it is now, and quieter details below. */
export interface Choice {
  value: string;
  text: string;
  now?: string;
  detail?: string;
}

export interface ChoiceList {
  choices: readonly Choice[];
  note?: string;
  /** Milliseconds after which the list is loaded again while it is open. */
  again?: number;
}

export function siteList(answer: SitesAnswer, typed: string, acceptsAll: boolean): ChoiceList {
  const all = acceptsAll ? allChoice("picker.allSites", answer.all, typed) : [];
  return {
    choices: [...all, ...answer.sites.map(siteChoice)],
    note: noteOf(answer, typed),
    ...(answer.pending ? { again: AGAIN } : {}),
  };
}

function noteOf({ sites, total, all }: SitesAnswer, typed: string): string {
  if (all === 0) return sharedText("picker.noSites");
  if (total === 0 && typed !== ALL) return sharedText("picker.noMatch");
  return total > sites.length ? sharedText("picker.more", { shown: sites.length, total }) : "";
}

/** @param systems the systems of the site; undefined for all sites */
export function systemList(
  systems: readonly SystemChoice[] | undefined,
  typed: string,
  acceptsAll: boolean,
): ChoiceList {
  if (!systems) return { choices: [{ value: ALL, text: sharedText("picker.allSystemsOfAll"), now: ALL }] };
  const all = acceptsAll ? allChoice("picker.allSystems", systems.length, typed) : [];
  const found = systems.map(systemChoice).filter(({ value, text }) => isMatch(typed, [value, text]));
  return { choices: [...all, ...found] };
}

function allChoice(key: string, count: number, typed: string): Choice[] {
  const isOffered = count > 1 && (typed === "" || typed === ALL);
  return isOffered ? [{ value: ALL, text: sharedText(key, { count }), now: ALL }] : [];
}

/** "Demo house, Berlin, battery 18 %", with the generation and id as details. */
export function siteChoice(site: SiteChoice): Choice {
  const { siteId, name, place, charge, systemCount, isPc1Needed } = site;
  const systems = systemCount > 1 ? sharedText("picker.systems", { count: systemCount }) : "";
  return {
    value: siteId,
    text: joined([
      name || siteId,
      place,
      charge === undefined ? "" : sharedText("picker.charge", { percent: rounded(charge, 0) }),
    ]),
    detail: joined([...site.generations, systems, pc1Advice(isPc1Needed), name ? siteId : ""]),
  };
}

/** "Demo house, Berlin, PC2": what does not change, for the line below the field. */
export function siteTitle({ siteId, name, place, generations, isPc1Needed }: SiteChoice): string {
  return joined([name || siteId, place, ...generations, pc1Advice(isPc1Needed)]);
}

/** Of those that all sites means, the first that has something to read; a list need not show systems. */
export function firstToRead({ sites }: SitesAnswer): SiteChoice | undefined {
  const read = sites.filter(({ isPc1Needed }) => !isPc1Needed);
  return read.find(({ systemCount }) => systemCount > 0) ?? read[0];
}

function pc1Advice(isNeeded = false): string {
  return isNeeded ? sharedText("picker.needsPc1") : "";
}

/** "demo-twin-a, PC1, 12 kWh". */
export function systemChoice(system: SystemChoice): Choice {
  const { systemId, solarPower, hasMeter } = system;
  const solar =
    solarPower === undefined ? "" : sharedText("picker.solar", { power: rounded(solarPower / 1000) });
  return {
    value: systemId,
    text: joined([systemId, systemTitle(system)]),
    detail: joined([solar, hasMeter ? sharedText("picker.meter") : ""]),
  };
}

/** "PC1, 12 kWh". */
function systemTitle({ generation, capacity }: SystemChoice): string {
  return joined([generation, capacity === undefined ? "" : `${rounded(capacity / 1000)} kWh`]);
}

interface SystemField {
  text: string;
  /** Whether the text is an id, empty or `*`, not a property of the message or the like. */
  isText: boolean;
  acceptsAll: boolean;
  needsMeter: boolean;
}

/** The line below the field of the system: what it is, that one must be chosen, or that a revenue-grade meter is missing. */
export function systemLine(systems: readonly SystemChoice[], field: SystemField): string {
  const { text, isText, acceptsAll, needsMeter } = field;
  const count = systems.length;
  if (needsMeter && count > 0 && systems.every(({ hasMeter }) => hasMeter === false))
    return sharedText("picker.noMeter");
  if (!isText || text === ALL || text.includes("${")) return "";
  if (text === "" && count < 2) return "";
  if (text === "") return sharedText(acceptsAll ? "picker.chooseOrAll" : "picker.choose", { count });
  const system = systems.find(({ systemId }) => systemId === text);
  if (!system) return sharedText("picker.unknownSystem");
  return needsMeter && system.hasMeter === false
    ? sharedText("picker.systemWithoutMeter")
    : systemTitle(system);
}

/** A value of the newest record as a person reads it; "" if there is none. */
export function shownValue(value: ValueNow["value"] | undefined): string {
  if (value === undefined) return "";
  if (value === null) return sharedText("picker.noValue");
  return typeof value === "number" ? rounded(value) : String(value);
}

/**
 * The value's name, or that the newest record has no such value.
 * @param values resolves to undefined if the system is not known
 */
export async function valueLine(
  path: string,
  values: () => Promise<readonly ValueNow[] | undefined>,
): Promise<string> {
  const name = measurementName(path);
  if (path === "" || name) return name ?? "";
  const known = await values();
  return known && known.length > 0 && !isInRecord(path, known) ? sharedText("picker.unknownValue") : "";
}

/** "Battery charge (%)"; undefined for a path that this version does not know. */
export function measurementName(path: string): string | undefined {
  const unit = UNITS.get(path);
  return unit && `${sharedText(`picker.value.${path}`)} (${unit})`;
}

/**
 * The known measurements and whatever else the newest record holds, as far as they match; nothing of the inverter if the system
 * does not measure it. Without a record, the names alone.
 */
export function valueChoices(typed: string, values: readonly ValueNow[]): Choice[] {
  const now = new Map(values.map(({ path, value }) => [path, value]));
  const paths = [...new Set([...UNITS.keys(), ...now.keys()])];
  const isInverterMeasured =
    values.length === 0 || values.some(({ path, value }) => isOfInverter(path) && value !== null);
  return paths
    .filter((path) => isInverterMeasured || !isOfInverter(path))
    .filter((path) => isMatch(typed, [path, ...wordsOf(path)]))
    .map((path) => {
      const name = measurementName(path);
      const choice = { value: path, text: name ?? path, now: shownValue(now.get(path)) };
      return name ? { ...choice, detail: path } : choice;
    });
}

/** The name of a known measurement and further words by which people look for it. */
function wordsOf(path: string): string[] {
  if (!UNITS.has(path)) return [];
  const [group = "", field = ""] = path.split(".");
  // Words such as "feed-in" are about the grid, not about the inverter that has fields of the same name.
  const fieldWords = group === "inverter" ? [] : [`words.${field}`];
  return [`value.${path}`, `groupWords.${group}`, ...fieldWords].map((key) => sharedText(`picker.${key}`));
}

/** Whether the newest record has something at the path: a value, or a group of values. */
export function isInRecord(path: string, values: readonly ValueNow[]): boolean {
  return values.some((value) => `${value.path}.`.startsWith(`${path}.`));
}

/** "battery charge": the name of a known measurement, or else the last part of the path. Empty for the whole record. */
export function valueTitle(path: unknown): string {
  if (typeof path !== "string" || path === "") return "";
  if (!UNITS.has(path)) return shownText(path.split(".").at(-1) ?? path, LONGEST);
  const name = sharedText(`picker.value.${path}`).replace(SIGN, "");
  const [language = ""] = RED.i18n.lang().split("-");
  // Not for abbreviations such as RGM.
  const keepsCapital = CAPITAL_NOUNS.includes(language) || /^\p{Lu}\p{Lu}/u.test(name);
  return keepsCapital ? name : name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** Whether every word typed is part of one of the texts. */
function isMatch(typed: string, texts: readonly string[]): boolean {
  return matcher(typed)(folded(texts.join(" ")));
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(", ");
}

function rounded(value: number, digits = 1): string {
  return value.toLocaleString(RED.i18n.lang(), { maximumFractionDigits: digits });
}
