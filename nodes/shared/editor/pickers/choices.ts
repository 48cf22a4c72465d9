// Lists sites and systems as a field offers them, and says what the one in the field is. Pure, so that it can be tested without a browser.
import {
  folded,
  matcher,
  type SiteChoice,
  type SitesAnswer,
  type SystemChoice,
  type ValueNow,
} from "../../../../src/choices/choices";
import { sharedText } from "../texts";
import type { Choice, ChoiceList } from "./combobox";

/** How often a list with charges that are still being read is loaded again. */
const AGAIN = 2200;

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
  if (total === 0 && typed !== "*") return sharedText("picker.noMatch");
  return total > sites.length ? sharedText("picker.more", { shown: sites.length, total }) : "";
}

/** @param systems the systems of the site; undefined for all sites */
export function systemList(
  systems: readonly SystemChoice[] | undefined,
  typed: string,
  acceptsAll: boolean,
): ChoiceList {
  if (!systems) return { choices: [{ value: "*", text: sharedText("picker.allSystemsOfAll"), now: "*" }] };
  const all = acceptsAll ? allChoice("picker.allSystems", systems.length, typed) : [];
  const found = systems.map(systemChoice).filter(({ value, text }) => isMatch(typed, [value, text]));
  return { choices: [...all, ...found] };
}

function allChoice(key: string, count: number, typed: string): Choice[] {
  const isOffered = count > 1 && (typed === "" || typed === "*");
  return isOffered ? [{ value: "*", text: sharedText(key, { count }), now: "*" }] : [];
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
  if (needsMeter && count > 0 && !systems.some(({ hasMeter }) => hasMeter))
    return sharedText("picker.noMeter");
  if (!isText || text === "*" || text.includes("${")) return "";
  if (text === "" && count < 2) return "";
  if (text === "") return sharedText(acceptsAll ? "picker.chooseOrAll" : "picker.choose", { count });
  const system = systems.find(({ systemId }) => systemId === text);
  if (!system) return sharedText("picker.unknownSystem");
  return needsMeter && !system.hasMeter ? sharedText("picker.systemWithoutMeter") : systemTitle(system);
}

/** A value of the newest record as a person reads it; "" if there is none. */
export function shownValue(value: ValueNow["value"] | undefined): string {
  if (value === undefined) return "";
  if (value === null) return sharedText("picker.noValue");
  return typeof value === "number" ? rounded(value) : String(value);
}

/** Whether every word typed is part of one of the texts. */
export function isMatch(typed: string, texts: readonly (string | undefined)[]): boolean {
  return matcher(typed)(folded(texts.filter(Boolean).join(" ")));
}

export function isSiteMatch(typed: string, site: SiteChoice): boolean {
  return isMatch(typed, [site.siteId, site.name, site.place, ...site.generations]);
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(", ");
}

function rounded(value: number, digits = 1): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}
