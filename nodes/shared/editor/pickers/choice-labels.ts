// Describes sites, systems and values in one line each, and matches them against what is typed. Pure, so that it can be tested without a browser.
import type { SiteChoice, SystemChoice, ValueNow } from "../../../../src/choices/choices";
import { folded, matcher } from "../../../../src/choices/choices";
import { sharedText } from "../texts";

/** A row of a list: what is stored, what it is called, what it is now, and quieter details below. */
export interface Choice {
  value: string;
  text: string;
  now?: string;
  detail?: string;
}

/** "Demo house, Berlin, 18 %", with the generation and id as details. */
export function siteChoice(site: SiteChoice): Choice {
  const { siteId, name, place, charge, systemCount, isPc1Needed } = site;
  const systems = systemCount > 1 ? sharedText("picker.systems", { count: systemCount }) : "";
  return {
    value: siteId,
    text: joined([name || siteId, place, charge === undefined ? "" : `${rounded(charge, 0)} %`]),
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
export function systemTitle({ generation, capacity }: SystemChoice): string {
  return joined([generation, capacity === undefined ? "" : `${rounded(capacity / 1000)} kWh`]);
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
