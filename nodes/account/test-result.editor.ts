// Says in words what the test of an account found.
import type { TestAnswer } from "../../src/choices/choices";
import { durationText } from "../../src/time-units";
import { faultText } from "../shared/editor/fault-text";
import { sharedText } from "../shared/editor/texts";

export interface ResultLine {
  kind: "running" | "passed" | "warning" | "failed";
  text: string;
}

/** One line for what was found, and one for each thing to do about it. */
export function resultLines(answer: TestAnswer, isDemo: boolean): ResultLine[] {
  if (isDemo) return [{ kind: "passed", text: sharedText("test.demo", { count: answer.sites }) }];
  return [sitesLine(answer), ...pc1Advice(answer), ...clockAdvice(answer)];
}

function sitesLine({ sites, needPc1, pc1 }: TestAnswer): ResultLine {
  if (sites === 0) return { kind: "warning", text: sharedText("test.noSites") };
  if (needPc1 === 0 || pc1 === "on")
    return { kind: "passed", text: sharedText("test.connected", { count: sites }) };
  const text =
    sites === 1 ? sharedText("test.onlySitePc1") : sharedText("test.connectedPc1", { sites, count: needPc1 });
  return { kind: "passed", text };
}

function pc1Advice({ needPc1, pc1 }: TestAnswer): ResultLine[] {
  return needPc1 > 0 && pc1 === "off" ? [{ kind: "warning", text: sharedText("test.choosePc1") }] : [];
}

/** @param answer.clock service time minus local time, in milliseconds */
function clockAdvice({ clock }: TestAnswer): ResultLine[] {
  if (clock === undefined) return [];
  const duration = durationText(clock);
  const text = faultText([clock > 0 ? "clockBehind" : "clockAhead", { duration }]);
  return [{ kind: "warning", text }];
}
