// The subjects of decisions: each site, system or other topic is decided on separately, and stored with its state.
import { setNewest } from "../bounded-map";
import type { Moment } from "../clock";
import { InputError } from "../errors";
import { MAX_SUBJECT_LENGTH } from "../limits";
import { optional, partOf, readerOf, text } from "../models/shape";
import { isId } from "../settings/rules";
import type { StateForm } from "../stored-state";
import { afterRestart, type KnownRule, STORED, type StoredThreshold, type ThresholdState } from "./threshold";

/** Also set on messages that a timer sends. */
export interface Subject {
  topic?: string;
  siteId?: string;
  systemId?: string;
}

/** The site or system of a message, or its topic. Throws InputError for an id that is not valid, or a topic that is too long. */
export function subjectOfMessage(message: { readonly [Name in keyof Subject]?: unknown }): Subject {
  const subject: Subject = {};
  for (const name of ["topic", "siteId", "systemId"] as const) {
    const value = message[name];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    // An empty id is none.
    if (text !== "") subject[name] = text;
  }
  const { topic = "", siteId, systemId } = subject;
  if (siteId !== undefined && !isId(siteId)) throw new InputError("messageSite");
  if (systemId !== undefined && !isId(systemId)) throw new InputError("messageSystem");
  if (topic.length > MAX_SUBJECT_LENGTH)
    throw new InputError("topicTooLong", { characters: MAX_SUBJECT_LENGTH });
  return subject;
}

function subjectKey({ topic = "", siteId, systemId = "" }: Subject): string {
  return JSON.stringify(siteId === undefined ? [topic] : [siteId, systemId]);
}

export interface StoredDecision {
  subject: Subject;
  state: StoredThreshold;
}

const TEXT = optional(text);

const SUBJECT = partOf<Subject>({ topic: TEXT, siteId: TEXT, systemId: TEXT });

export const DECISIONS_FORM: StateForm<readonly StoredDecision[]> = {
  read: readerOf([{ subject: SUBJECT, state: STORED }]),
  toStored: (decisions) =>
    decisions.map(({ subject, state }) => ({
      subject,
      state: Object.fromEntries(Object.entries(state).filter(([name]) => name in STORED)),
    })),
};

/** What is decided on, and the messages that may be needed later. */
export interface KnownSubject<Message> extends StoredDecision {
  state: ThresholdState;
  /** The last message decided on, if it may have to be sent later: after a hold time, or again. */
  message?: Message | undefined;
  /** The last record of this package, to be judged again after a deploy. */
  record?: Message | undefined;
}

/** Topics that change with every message must not fill the store, so the least recently used are dropped. */
const MAX_SUBJECTS = 1000;

export class Subjects<Message> {
  /** By key, the one decided on last at the end. */
  readonly #known = new Map<string, KnownSubject<Message>>();
  /** As long as none is known: stands for the first one, so that time runs from the start. */
  #first: KnownSubject<Message> | undefined;

  constructor(moment: Moment) {
    this.#first = { subject: {}, state: { arrival: moment } };
  }

  get known(): KnownSubject<Message>[] {
    return [...this.#known.values()];
  }

  /** What time can decide on. */
  get all(): KnownSubject<Message>[] {
    return this.#first ? [this.#first] : this.known;
  }

  restore(stored: readonly StoredDecision[], moment: Moment, rule: KnownRule): void {
    for (const { subject, state } of stored)
      this.#known.set(subjectKey(subject), { subject, state: afterRestart(state, moment, rule) });
    if (stored.length > 0) this.#first = undefined;
  }

  /** Whether a read that failed before its system was known says nothing about any one that is decided on. */
  isOfNone(subject: Subject): boolean {
    if (subject.systemId || this.#known.has(subjectKey(subject))) return false;
    const { siteId } = subject;
    return !siteId || this.known.some((known) => known.subject.siteId === siteId);
  }

  /**
   * The subject of a message, and the one that is forgotten for it, if any. A new subject takes over the wait for its first value, if
   * there is one, so that nothing is reported twice: that of the node, or that of its site, whose reads have failed before the system
   * was known.
   */
  find(named: Subject, moment: Moment): [KnownSubject<Message>, KnownSubject<Message> | undefined] {
    const subject = this.#withSystem(named);
    const key = subjectKey(subject);
    const ofSite = subjectKey({ ...subject, systemId: "" });
    const waiting = this.#first ?? this.#known.get(ofSite);
    const state = waiting?.state.value === undefined ? waiting?.state : undefined;
    const known = this.#known.get(key) ?? { subject, state: state ?? { arrival: moment } };
    this.#first = undefined;
    if (state && ofSite !== key) this.#known.delete(ofSite);
    known.subject = subject;
    const [, forgotten] = setNewest(this.#known, key, known, MAX_SUBJECTS) ?? [];
    return [known, forgotten];
  }

  /** A site with one system is that system, also in a message that names only the site. */
  #withSystem(named: Subject): Subject {
    const { siteId, systemId } = named;
    // Where the site itself is decided on, it is not the only subject, whatever its systems are.
    if (siteId === undefined || systemId !== undefined || this.#known.has(subjectKey(named))) return named;
    const [only, another] = this.known.filter(({ subject }) => subject.siteId === siteId);
    return only?.subject.systemId !== undefined && !another
      ? { ...named, systemId: only.subject.systemId }
      : named;
  }
}
