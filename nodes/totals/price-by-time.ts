// A price as an expression of the time, such as `$hour < 6 ? 0.21 : 0.34`: what it says for each quarter of an hour of a period.
import type { Node, NodeAPI } from "node-red";
import { DAY, MINUTE } from "../../src/time-units";
import { loopTurns } from "../../src/loop-turns";
import type { SiteCalendar, Span } from "../../src/totals/period";
import type { PriceStep } from "../../src/totals/prices";
import { expressionValue } from "../shared/runtime/base/property";
import type { Run } from "../shared/runtime/service/service-node";

const NAMES = /\$(?:hour|weekday|month|millis|now)\b/;
/** Tariffs change at quarters of an hour, by the clock of every zone. */
const STEP = 15 * MINUTE;

/** Whether the value of an expression depends on the time that it is for. */
export function isByTime(expression: string): boolean {
  return NAMES.test(expression);
}

/**
 * Evaluates the expression with `$hour` (0 to 23.75), `$weekday` (1 = Monday) and `$month` by the clock of the site; `$now()` and
 * `$millis()` are the time that a price is for. Rejects with InputError.
 * @param priceOf the price that a value is; undefined = unknown
 */
export async function pricesByTime(
  RED: NodeAPI,
  node: Node,
  { message, signal }: Run,
  text: string,
  { calendar, start, end }: Span & { calendar: SiteCalendar },
  priceOf: (value: unknown) => number | undefined,
): Promise<PriceStep[]> {
  const expression = RED.util.prepareJSONataExpression(text, node);
  const steps: { start: number; end: number; price: number }[] = [];
  for (let time = Math.floor(start / STEP) * STEP; time < end; time += STEP) {
    if (time % DAY === 0) await loopTurns.next(signal);
    const local = calendar.iso(time);
    const [date = "", hour, minute] = local.split(/[T:]/);
    expression.assign("hour", Number(hour) + Number(minute) / 60);
    expression.assign("weekday", new Date(date).getUTCDay() || 7);
    expression.assign("month", Number(date.slice(5, 7)));
    expression.assign("millis", () => time);
    expression.assign("now", () => local);
    const price = priceOf((await expressionValue(RED, text, expression, message)).value);
    const last = steps.at(-1);
    if (price === undefined) continue;
    if (last?.end === time && last.price === price) last.end += STEP;
    else steps.push({ start: time, end: time + STEP, price });
  }
  return steps;
}
