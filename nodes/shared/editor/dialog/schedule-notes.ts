// Says beside the fields of a schedule when the node runs, and that values become stale when the maximum age is too short for it.
import { validFor } from "../../../../src/decisions/freshness";
import { NEW_RHYTHM, USUAL_INTERVAL } from "../../../../src/series/rhythm";
import { DAY, durationText, HOUR, MINUTE } from "../../../../src/time-units";
import { sharedText } from "../texts";
import { currentText, fieldOf, followFields, formOf, rowOf } from "./fields";

/** More than three times of an hour are shown as the first two. */
const MOST_TIMES = 3;

/** Keeps the line beside the repeat field up to date. Does nothing if the dialog has none. */
export function showRunTimes(node: EditorNode): void {
  const field = fieldOf(node, "repeat");
  const line = rowOf(field).find(".energy-run-times");
  field.attr("placeholder", String(node._def.defaults["repeat"]?.value));
  const update = (): void => {
    const times = runTimes(Number(currentText(node, "repeat")));
    line.text(times ? sharedText(...times) : "");
  };
  // A screen reader reads the line out whenever it is set.
  field.on("change input", update);
  update();
}

/** The runs of a node that repeats every so many minutes, by the clock of Node-RED. Undefined if the number is not valid. */
export function runTimes(minutes: number): Parameters<typeof sharedText> | undefined {
  if (!Number.isFinite(minutes) || minutes < 0) return undefined;
  if (minutes === 0) return ["schedule.message"];
  const interval = minutes * MINUTE;
  if (interval === DAY) return ["schedule.day"];
  if (Number.isInteger(minutes) && HOUR % interval === 0)
    return ["schedule.times", { times: timesOfHour(minutes) }];
  return ["schedule.every", { duration: durationText(interval, "s") }];
}

function timesOfHour(minutes: number): string {
  const times = Array.from(
    { length: HOUR / MINUTE / minutes },
    (_none, index) => `:${String(index * minutes).padStart(2, "0")}`,
  );
  return times.length > MOST_TIMES ? [...times.slice(0, 2), "…"].join(", ") : times.join(", ");
}

/** The automatic maximum age, in minutes, of usual records that a node reads so often as soon as they end: it would hardly be shorter. */
export function shortestMaxAge(repeat: number): number {
  const automatic = validFor(undefined, NEW_RHYTHM, { id: "", repeat: repeat * MINUTE });
  return automatic({ start: 0, end: USUAL_INTERVAL }) / MINUTE;
}

/** Keeps the note up to date. Does nothing if the dialog has no such field. */
export function warnOfShortMaxAge(node: EditorNode): void {
  const note = formOf(node).find(".energy-short-max-age");
  followFields(node, () => {
    const [age, repeat] = [currentText(node, "maxAge"), currentText(node, "repeat")];
    // Where nothing is read, the field means something else.
    const minutes = shortestMaxAge(fieldOf(node, "account").length > 0 ? Number(repeat) : 0);
    const isShort = Number(age) > 0 && Number(age) < minutes;
    note.text(isShort ? sharedText("hint.shortMaxAge", { minutes }) : "").toggle(isShort);
  });
}
