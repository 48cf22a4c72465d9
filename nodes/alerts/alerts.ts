// alerts: the alerts of the account or of one site, filtered by severity: all of them, or the changes since the last run.
import { type Alert, isOver, severityOf } from "../../src/models/alert";
import { alertKeys, passesSeverity } from "../../src/alerts/alert-changes";
import type { UnreadableItem } from "../../src/models/responses";
import { ALERTS } from "./settings";
import { addressOf, sameSelection } from "../shared/runtime/series/selection";
import { type Run, serviceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";
import type { StatusText } from "../shared/runtime/base/status";
import { fileStorage } from "../shared/runtime/state/storage";
import { type AlertList, OpenAlerts } from "./open-alerts";

export default serviceNode("energy-alerts", (RED, node, config) => {
  const settings = readSettings(RED, node, ALERTS, config);
  const { values } = settings;
  const isOfSite = values.scope === "site";
  const open = values.output === "changes" ? new OpenAlerts(fileStorage(RED, node)) : undefined;

  const readAlerts = async (run: Run, siteId: string | undefined): Promise<AlertList> => {
    const service = await run.service();
    let isComplete = true;
    const onUnreadable = (items: readonly UnreadableItem[]): void => {
      isComplete = false;
      run.reportUnreadable(items);
    };
    const options = { signal: run.signal, onUnreadable };
    const read = siteId === undefined ? service.alerts(options) : service.siteAlerts(siteId, options);
    return { alerts: await read, isComplete };
  };

  const sendList = (run: Run, alerts: Alert[], siteId: string | undefined): Promise<void> => {
    const now = run.clock.now();
    const keys = alertKeys([], alerts, now);
    const info = alerts.map((alert, index) => ({
      severity: severityOf(alert),
      alertKey: keys[index] ?? "",
      isOpen: !isOver(alert, now),
    }));
    const address = siteId === undefined ? "account" : { siteId };
    const energy = { kind: "alerts", count: alerts.length, alerts: info } as const;
    return run.reply({ payload: alerts, address, energy });
  };

  const work = async (run: Run): Promise<StatusText> => {
    const { firstRun, severities, otherSeverities } = settings.valid();
    const passes = (alert: Alert): boolean => passesSeverity(alert, severities, otherSeverities);
    const site = isOfSite ? await addressOf(RED, node, values, run.message) : undefined;
    const siteId = site?.siteId;
    const listed = await readAlerts(run, siteId);
    const passed = listed.alerts.filter(passes);
    const rule = { passes, isFirstRunSilent: firstRun === "silent" };
    if (open) await open.update(run, listed, rule, siteId);
    else await sendList(run, passed, siteId);
    const count = passed.filter((alert) => !isOver(alert, run.clock.now())).length;
    return { key: "alerts:alerts", values: { count }, ...(count > 0 ? { fill: "yellow" } : {}) };
  };
  return {
    settings,
    kind: "alerts",
    work,
    sameWork: (message) => (isOfSite ? sameSelection(RED, values, message) : "account"),
    ...(open && { close: open.close }),
  };
});
