// statistics: keeps Home Assistant's statistics complete from totals with hours, through the api node of its Node-RED integration.
import { isDeepStrictEqual } from "node:util";
import type { NodeMessage } from "node-red";
import { InputError } from "../../src/errors";
import type {
  DashboardSources,
  StatisticsMessage,
  StatisticsWritten,
  StatisticsWrittenMessage,
} from "../../src/messages/messages";
import { addressIn, energyOf, totalsIn } from "../../src/messages/reader";
import { isServiceObject } from "../../src/models/service-object";
import { Assistant } from "../../src/statistics/commands";
import type { Dashboard } from "../../src/statistics/dashboard";
import { OWED_FORM, StatisticsKeeper } from "../../src/statistics/keeper";
import { hourlySeries } from "../../src/statistics/series";
import { messageMaker } from "../shared/runtime/base/message";
import { showStatus, type StatusText, timeOfDay, warningStatus } from "../shared/runtime/base/status";
import { type Input, nodeType, startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { notesOf } from "../shared/runtime/lifecycle/node-notes";
import { fileGroup } from "../shared/runtime/state/storage";
import { STATISTICS } from "./settings";

/** The topic that requests the sources of the Energy dashboard. */
const SETUP = "setup";
const WAITING = warningStatus("statistics:waiting");

export default nodeType("energy-statistics", STATISTICS, (RED, node, settings) => {
  let corrected = 0;
  /** What the last setup has shown, for the message that confirms it. */
  let shown: Dashboard["added"] | undefined;

  const assistant = new Assistant({
    send(data, request) {
      const payload = { protocol: "websocket", data } as const;
      node.send({ payload, energy: { kind: "statistics", request } } satisfies StatisticsMessage);
    },
    waiting: () => showStatus(RED, node, WAITING),
  });
  const written = (payload: StatisticsWritten): void => {
    // Each hour once, in whatever it was corrected.
    corrected = Math.max(corrected, payload.corrected);
    node.send([null, { payload, energy: { kind: "statistics" } } satisfies StatisticsWrittenMessage]);
  };
  const owed = fileGroup(RED, node, { statistics: "owed" }, OWED_FORM);
  const keeper = new StatisticsKeeper(assistant, written, owed);

  const write = async ({ signal }: Input): Promise<StatusText | undefined> => {
    // What came during the run before may have been written by that, and totals may have no hours that are over.
    if (!keeper.isOwing) return undefined;
    corrected = 0;
    const time = timeOfDay(await keeper.write(signal));
    return corrected > 0
      ? { key: "statistics:corrected", values: { time, count: corrected } }
      : { key: "statistics:complete", values: { time } };
  };

  /** Shows what the dashboard would get; a second message that confirms saves it. */
  const setUp = async ({ message, signal }: Input): Promise<StatusText> => {
    const isConfirmed = message.payload === "confirm" || message.payload === true;
    const dashboard = await keeper.dashboard(settings.valid(), signal);
    const { added } = dashboard;
    // What is saved is what was shown, merged into what Home Assistant has by now.
    const isSaved = isConfirmed && settings.values.dashboard && isDeepStrictEqual(shown, added);
    const payload: DashboardSources = isSaved
      ? { saved: true, validation: await keeper.save(dashboard, signal) }
      : { sources: added };
    shown = isSaved ? undefined : added;
    node.send([null, messageMaker(RED, message)({ payload, energy: { kind: "statistics" } })]);
    return isSaved
      ? { key: "statistics:saved" }
      : { key: "statistics:sources", values: { count: added.length } };
  };

  /** Answers and totals do not wait in the queue; what totals say is merged until it is written. */
  const intercept = (incoming: NodeMessage): boolean => {
    if (incoming.topic === SETUP) return false;
    const energy = energyOf(incoming);
    if (energy["kind"] === "statistics") {
      assistant.answer(energy["request"], incoming.payload, refusalOf(incoming["error"]));
      return true;
    }
    const rule = settings.valid();
    const totals = totalsIn(incoming);
    if (!totals || energy["split"] !== "hour") throw new InputError("statisticsHours");
    keeper.add(hourlySeries(totals, addressIn(incoming), rule, energy));
    run();
    return true;
  };

  /** What was owed before a restart is still owed. */
  const start = async (): Promise<void> => {
    await keeper.load();
    if (keeper.isOwing) run();
  };

  notesOf(node).statistics = () => keeper.parts;
  const work = (input: Input): ReturnType<typeof write> => (input.isByMessage ? setUp(input) : write(input));
  const close = (): Promise<void> => keeper.flush();
  const run = startLifecycle(RED, node, { work, intercept, start, close });
});

/** What Home Assistant says of a command that it refuses: a catch node passes that on. */
function refusalOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const message = isServiceObject(error) ? error["message"] : error;
  return typeof message === "string" ? message : "";
}
