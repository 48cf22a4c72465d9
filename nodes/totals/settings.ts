// Settings of totals.
import { errorText } from "../../src/errors";
import { decimalOf } from "../../src/settings/rules";
import { choice, inUseUnless, number, type Settings, text } from "../../src/settings/table";
import { PERIOD_NAMES } from "../../src/site-calendar";
import { READING, SCHEDULE } from "../shared/settings";

/** Money per kWh: a number or, by the type, where the price comes from. */
function price(property: "importPrice" | "exportPrice") {
  return text(`totals:label.${property}`, {
    trimmed: true,
    variables: true,
    mayBeNumber: true,
    check(given, label, others) {
      const type = others(`${property}Type`);
      const isNumber = type === undefined || type === "num";
      return isNumber && given !== "" && decimalOf(given) === null
        ? errorText("settingNumber", { label })
        : undefined;
    },
  });
}

const PRICE_TYPES = ["num", "msg", "flow", "global", "env", "jsonata", "prices"] as const;

const FIXED = { default: 0, min: 0, max: 1_000_000 } as const;

export const TOTALS = {
  ...READING,
  period: choice("totals:label.period", [...PERIOD_NAMES, "message"]),
  split: choice("totals:label.split", ["none", "hour", "day", "month"]),
  unit: choice("totals:label.unit", ["kWh", "Wh"]),
  priority: choice("totals:label.priority", ["house", "battery"]),
  importPrice: price("importPrice"),
  importPriceType: choice("totals:label.importPrice", PRICE_TYPES),
  exportPrice: price("exportPrice"),
  exportPriceType: choice("totals:label.exportPrice", PRICE_TYPES),
  fixed: number("totals:label.fixed", FIXED),
  fixedPer: choice("totals:label.fixedPer", ["day", "month"]),
  delivery: number("totals:label.delivery", FIXED),
  currency: text("totals:label.currency", {
    default: "EUR",
    trimmed: true,
    mayBeEmpty: true,
    check: (currency, label) =>
      /^\p{L}{2,8}$|^\p{Sc}$/u.test(currency) ? undefined : errorText("settingCurrency", { label }),
  }),
  netting: choice("totals:label.netting", ["none", "15", "30", "60", "day", "month", "year"]),
  // The period of a message cannot be scheduled.
  ...inUseUnless({ period: "message" }, SCHEDULE),
} as const satisfies Settings;
