// alerts: the alerts of the account or of one site, filtered by severity: all of them, or the changes since the last run.
import {
  type AlertChange,
  alertChanges,
  keyedAlerts,
  type OpenAlert,
  passesSeverity,
} from "../../src/alerts/alert-changes";
import { eventLoopTurn, inTurns } from "../../src/loop-turns";
import { type Alert, isOver, severityOf } from "../../src/models/alert";
import type { UnreadableItem } from "../../src/models/responses";
import { firstText, isServiceObject } from "../../src/models/service-object";
import { partOf, readerOf, text } from "../../src/models/shape";
import { isId } from "../../src/settings/rules";
import { StoredState } from "../../src/stored-state";
import { ALERTS } from "./settings";
import { addressOf, sameSelection } from "../shared/runtime/series/selection";
import { type Run, serviceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";
import { fileStorage } from "../shared/runtime/state/storage";

type OpenAlerts = StoredState<readonly OpenAlert[]>;

const readOpen = readerOf([partOf<OpenAlert>({ alertKey: text, alert: isServiceObject })]);

export default serviceNode("energy-alerts", ALERTS, (RED, node, settings) => {
  const { values } = settings;
  const isOfSite = values.scope === "site";
  const storage = values.output === "changes" ? fileStorage(RED, node) : undefined;
  /** The open alerts across restarts, by account, credentials and site. */
  const lists = new Map<string, OpenAlerts>();

  const passes = (alert: Alert): boolean => passesSeverity(alert, values.severities, values.otherSeverities);

  const openAlerts = async (run: Run, siteId: string | undefined): Promise<OpenAlerts> => {
    const key = {
      accountId: run.account().accountId,
      // Other credentials see other alerts, which says nothing about these.
      credentials: await run.account().credentialsKey(),
      alertsOf: siteId === undefined ? "account" : `site ${siteId}`,
    };
    const name = JSON.stringify(key);
    const list = lists.get(name) ?? new StoredState(storage?.(key, { read: readOpen }));
    lists.set(name, list);
    return list;
  };

  /** Sends the changes since the last run, then stores the new state. */
  const sendChanges = async (
    run: Run,
    alerts: Alert[],
    isComplete: boolean,
    siteId: string | undefined,
  ): Promise<void> => {
    const list = await openAlerts(run, siteId);
    const known = await list.load();
    const isSilent = known === undefined && values.firstRun === "silent";
    // Every alert is stored, whether or not it is sent.
    const isSent = (alert: Alert): boolean => !isSilent && passes(alert);
    const now = run.clock.now();
    const { changes, open } = await alertChanges(known ?? [], alerts, isSent, now, isComplete, run.signal);
    await inTurns(changes, (change) => sendChange(run, change, siteId));
    // If the run is aborted here, the changes are sent again.
    await eventLoopTurn(run.signal);
    await list.set(open);
  };

  const sendList = async (run: Run, alerts: Alert[], siteId: string | undefined): Promise<void> => {
    const now = run.clock.now();
    const keyed = await keyedAlerts([], alerts, now, run.signal);
    const info = keyed.map(([alertKey, alert]) => ({
      severity: severityOf(alert),
      alertKey,
      isOpen: !isOver(alert, now),
    }));
    const address = siteId === undefined ? "account" : { siteId };
    const energy = { kind: "alerts", count: alerts.length, alerts: info } as const;
    return run.reply({ payload: alerts, address, energy });
  };

  const work = async (run: Run): Promise<StatusText> => {
    settings.valid();
    const siteId = isOfSite ? (await addressOf(RED, node, values, run.message)).siteId : undefined;
    const service = await run.service();
    let isComplete = true;
    const onUnreadable = (items: readonly UnreadableItem[]): void => {
      isComplete = items.length === 0;
      run.reportUnreadable(items);
    };
    const options = { signal: run.signal, onUnreadable };
    const listed = siteId === undefined ? service.alerts(options) : service.siteAlerts(siteId, options);
    const alerts = await listed;
    const passed = alerts.filter(passes);
    await (storage ? sendChanges(run, alerts, isComplete, siteId) : sendList(run, passed, siteId));
    const count = passed.filter((alert) => !isOver(alert, run.clock.now())).length;
    return { key: "alerts:alerts", values: { count }, ...(count > 0 ? { fill: "yellow" } : {}) };
  };
  return {
    work,
    sameWork: (message) => (isOfSite ? sameSelection(RED, values, message) : "account"),
    // Tries again what could not be stored.
    close: async () => void (await Promise.allSettled([...lists.values()].map((list) => list.flush()))),
  };
});

/** Sends a copy of the alert: if the flow modified the original, the next run would report it as changed. */
function sendChange(
  run: Run,
  { change, alertKey, alert }: AlertChange,
  listSiteId: string | undefined,
): void {
  const siteId = listSiteId ?? idOf(alert, "siteId");
  const address = siteId === undefined ? "account" : { siteId, systemId: idOf(alert, "systemId") };
  const isOpen = change !== "cleared";
  const energy = { kind: "alerts", severity: severityOf(alert), alertKey, isOpen, change } as const;
  run.send(run.make({ payload: structuredClone(alert), address, energy }));
}

/** An id that is not valid must not get into the paths and topics of other nodes. */
function idOf(alert: Alert, field: "siteId" | "systemId"): string | undefined {
  const id = firstText(alert, [field]);
  return isId(id) ? id : undefined;
}
