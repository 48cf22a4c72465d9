// mqtt readings: records, totals, alerts and devices as messages for an mqtt out node, with Home Assistant discovery.
import type { NodeMessage } from "node-red";
import { sharedClock } from "../../src/clock";
import { assertSendable, inTurns } from "../../src/loop-turns";
import {
  addressIn,
  alertUpdateOf,
  energyOf,
  type MessageRecord,
  recordsIn,
  siteDetailsOf,
  sitesOf,
  withoutDelivery,
} from "../../src/messages/reader";
import { parseServiceTime } from "../../src/models/time";
import { DeviceTable, readDevice } from "../../src/mqtt/home-assistant/device-table";
import { isFailure } from "../../src/mqtt/home-assistant/bridge";
import { homeAssistantStatus } from "../../src/mqtt/home-assistant/discovery";
import { Publisher, type Steps } from "../../src/mqtt/home-assistant/publisher";
import { incomingTotals } from "../../src/mqtt/home-assistant/totals";
import { publicationCount, type PublishRule } from "../../src/mqtt/publications";
import { defined } from "../../src/objects";
import { shownText } from "../../src/shown-text";
import { messageMaker } from "../shared/runtime/base/message";
import { recordsStatus, type StatusText, timeOfDay, warningStatus } from "../shared/runtime/base/status";
import { type Input, nodeType, startLifecycle, type Work } from "../shared/runtime/lifecycle/lifecycle";
import { DueTimer } from "../shared/runtime/lifecycle/schedule";
import { fileGroup } from "../shared/runtime/state/storage";
import { MQTT } from "./settings";

/** What a message causes to be published, and the status to show then: by default, how many devices there are. */
interface Outcome {
  steps: Steps;
  status?: StatusText;
  /** Of what is left out: the message fails, and confirms nothing. */
  faults?: readonly Error[];
}

type Sender = Pick<Input, "send"> & Partial<Pick<Input, "message" | "signal">>;

/** What mqtt out obeys, in addition to what is set here: none of it may come with a record. */
const OBEYED =
  "action broker responseTopic correlationData contentType messageExpiryInterval userProperties topicAlias payloadFormatIndicator".split(
    " ",
  );

/** More are not counted. */
const MAX_SITES = 10_000;
/** Characters of a site in the status. */
const LONGEST_SITE = 24;

export default nodeType("energy-mqtt", MQTT, (RED, node, settings) => {
  let current: Publisher | undefined;
  let farewell: Promise<void> | undefined;
  /** What was published since the start, for the status. */
  const sites = new Set<string>();
  let records = 0;

  /** Loads the known devices. Rejects if they cannot be read or the node is not configured. */
  const connect = async (): Promise<Publisher> => {
    if (current) return current;
    const valid = settings.valid();
    const rule: PublishRule = { ...valid, expireAfter: valid.expireAfter * 1000 };
    const { discovery, prefix, discoveryPrefix } = rule;
    const key = { prefix, discoveryPrefix };
    // Only Home Assistant needs what is stored.
    const group = discovery ? fileGroup(RED, node, key, { read: readDevice }) : undefined;
    const table = new DeviceTable(prefix, (await group?.load())?.values(), group);
    current = new Publisher(rule, table, sharedClock.now(), sharedClock);
    timer.set(current.nextDue());
    return current;
  };

  /** Rejects like `connect`, and with InputError for a message without records, or with too many. */
  const handle = async (input: Input): Promise<StatusText> => {
    const publisher = await connect();
    const { message } = input;
    const now = sharedClock.now();
    const { steps, status, faults = [] } = await outcomeOf(input, publisher, now);
    await sendSteps(publisher.notice(message, now), { ...input, message: {} });
    const sent = faults.length > 0 ? withoutDelivery(message) : message;
    await publish(publisher, steps, { ...input, message: sent });
    for (const fault of faults) throw fault;
    return status ?? { key: "mqtt:devices", values: { count: publisher.table.devices.size } };
  };

  /** Publishes what is due without an incoming message. */
  const onTimeout: Work = async (input) => {
    if (current) await publish(current, current.due(sharedClock.now()), input);
    return undefined;
  };

  const outcomeOf = async (input: Input, publisher: Publisher, now: number): Promise<Outcome> => {
    const { message } = input;
    // It says nothing else.
    if (isFailure(message)) return { steps: [] };
    const totals = incomingTotals(message);
    if (totals) {
      const end = parseServiceTime(totals.payload["until"]);
      return { steps: publisher.updateTotals(totals, now), status: recordsStatus(1, end) };
    }
    const listed = sitesOf(message);
    if (listed) return { steps: publisher.updateSites(listed.sites, listed.isComplete, now) };
    const alerts = alertUpdateOf(message);
    assertSendable(alerts?.alerts.length ?? 0);
    if (alerts) return { steps: publisher.updateAlerts(alerts, now) };
    const site = siteDetailsOf(message);
    if (site) return { steps: publisher.updateEquipment(site, now) };
    const status = homeAssistantStatus(message, publisher.rule.discoveryPrefix);
    if (status !== undefined) return { steps: status === "online" ? publisher.birth(now) : [] };
    return outcomeOfRecords(input, publisher, now);
  };

  const outcomeOfRecords = async (
    { message, signal }: Input,
    publisher: Publisher,
    now: number,
  ): Promise<Outcome> => {
    const { delivery } = energyOf(message);
    const kept: MessageRecord[] = [];
    const faults: Error[] = [];
    let [left, count] = [0, 0];
    // Nothing is sent of a message with too much.
    const read = (record: MessageRecord): void => {
      // One that begins in the future does not exist yet; one that a node of this package has sent is not judged again.
      if (record.start > now && record.energy["phase"] === undefined) left += 1;
      else kept.push(record);
      count += publicationCount(publisher.rule, record.record);
      // What must be confirmed would come again and again; it is no more than an answer of the service holds.
      if (delivery === undefined) assertSendable(count);
    };
    // If the node is removed meanwhile, nothing may follow its farewell.
    await inTurns(recordsIn(message, faults), read, signal);
    if (count === 0) return { steps: [], status: recordsStatus(0) };
    const address = addressIn(message);
    if (sites.size < MAX_SITES) sites.add(address.siteId);
    records += kept.length;
    const status = left > 0 ? warningStatus("ahead", { count: left }) : publishedStatus(kept.at(-1)?.end);
    return { steps: steps(), status, faults };

    function* steps(): Steps {
      // Only the first record of a message says that the records are being resent.
      for (const [index, record] of kept.entries())
        yield publisher.publish({ address, delivery: index === 0 ? delivery : undefined, ...record }, now);
    }
  };

  /** "14:05 · demo-house: 12 records"; of several sites, their number. */
  const publishedStatus = (newestEnd = sharedClock.now()): StatusText => {
    const [site = ""] = sites;
    const values = { time: timeOfDay(newestEnd), count: records };
    if (sites.size > 1) return { key: "mqtt:ofSites", values: { ...values, sites: { count: sites.size } } };
    return { key: "mqtt:ofSite", values: { ...values, site: shownText(site, LONGEST_SITE) } };
  };

  const publish = async (publisher: Publisher, steps: Steps, sender: Sender): Promise<void> => {
    await sendSteps(steps, sender);
    timer.set(publisher.nextDue());
    // A storage failure is reported only after the messages have been sent.
    await publisher.table.save();
  };

  const sendSteps = (steps: Steps, { message, send, signal }: Sender): Promise<void> =>
    inTurns(messagesOf(steps, message), (one) => one && send(one), signal);

  /**
   * Messages for an mqtt out node, as they are needed; undefined after a step without any. Only the last has `delivery` and
   * `ledger` of the incoming message: once the broker has received it, it has received all of them.
   */
  function* messagesOf(steps: Steps, incoming: NodeMessage = {}): Iterable<NodeMessage | undefined> {
    const { qos } = settings.valid();
    const make = messageMaker(RED, incoming, OBEYED);
    let last: NodeMessage | undefined;
    for (const publications of steps) {
      if (publications.length === 0) yield undefined;
      for (const { topic, payload, retain, energy = {} } of publications) {
        yield last;
        const { path: _path, ...own } = RED.util.cloneMessage(energy);
        last = make({ payload, energy: { ...own, kind: "mqtt" } });
        Object.assign(last, { topic, qos, retain });
      }
    }
    const { delivery, ledger } = energyOf(incoming);
    Object.assign(last?.["energy"] ?? {}, defined({ delivery, ledger }));
    yield last;
  }

  const timer = new DueTimer(() => run(onTimeout));
  const run = startLifecycle(RED, node, {
    work: handle,
    start: async () => void (await connect()),
    // Leaves the devices offline if nothing will publish them; a node that is restarted continues within seconds.
    stop(isRemoved) {
      timer.close();
      if (current && isRemoved)
        farewell = sendSteps(current.farewell(sharedClock.now()), {
          send: (message) => node.send(message),
        });
    },
    close: async () => void (await Promise.allSettled([farewell, current?.table.flush()])),
  });
});
