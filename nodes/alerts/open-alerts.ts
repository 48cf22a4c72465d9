// Tracks open alerts, for the credentials of an account or for each site, across restarts, and sends what has changed.
import { type Alert, severityOf } from "../../src/models/alert";
import { firstText, isServiceObject } from "../../src/models/service-object";
import { type AlertChange, alertChanges, type OpenAlert } from "../../src/alerts/alert-changes";
import { matches, readerOf, text } from "../../src/models/shape";
import { isId } from "../../src/settings/rules";
import { StoredState } from "../../src/stored-state";
import { eventLoopTurn, inTurns } from "../../src/loop-turns";
import { accountKey } from "../shared/runtime/service/account";
import type { Run } from "../shared/runtime/service/service-node";
import type { Storage } from "../shared/runtime/state/storage";

const readAlerts = readerOf((stored): stored is OpenAlert[] =>
  matches(stored, [{ alertKey: text, alert: isServiceObject }]),
);

/** `isComplete`: every alert of the list could be read. */
export interface AlertList {
  readonly alerts: readonly Alert[];
  readonly isComplete: boolean;
}

export interface ChangesRule {
  /** Whether the flow is to know of an alert. */
  passes: (alert: Alert) => boolean;
  /** Whether alerts that are already open in the first run are stored without being sent. */
  isFirstRunSilent: boolean;
}

export class OpenAlerts {
  readonly #storage: Storage;
  /** By account, credentials and site. */
  readonly #lists = new Map<string, StoredState<OpenAlert[]>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Sends the changes since the last run, then stores the new state. Set `siteId` if the list belongs to one site. */
  async update(
    run: Run,
    { alerts, isComplete }: AlertList,
    rule: ChangesRule,
    siteId?: string,
  ): Promise<void> {
    const key = {
      accountId: accountKey(run.account()),
      // Other credentials see other alerts, which says nothing about these.
      credentials: await run.account().credentialsKey(),
      alertsOf: siteId === undefined ? "account" : `site ${siteId}`,
    };
    const name = JSON.stringify(key);
    const list = this.#lists.get(name) ?? new StoredState(this.#storage(key, { read: readAlerts }));
    this.#lists.set(name, list);
    const known = await list.load();
    const isSilent = known === undefined && rule.isFirstRunSilent;
    // Every alert is stored, whether or not it is sent.
    const passes = (alert: Alert): boolean => !isSilent && rule.passes(alert);
    const { changes, open } = alertChanges(known ?? [], alerts, passes, run.clock.now(), isComplete);
    await inTurns(changes, (change) => send(run, change, siteId));
    // If the run is aborted here, the changes are sent again.
    await eventLoopTurn(run.signal);
    await list.set(open);
  }

  /** Tries again what could not be stored. */
  readonly close = async (): Promise<void> => {
    await Promise.allSettled([...this.#lists.values()].map((list) => list.flush()));
  };
}

/** Sends a copy of the alert: if the flow modified the original, the next run would report it as changed. */
function send(run: Run, { change, alertKey, alert }: AlertChange, listSiteId: string | undefined): void {
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
