// Loads the built editor files of one node from dist/, and runs their script as the editor would.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

export const LANGUAGES = ["en-US", "de", "fr", "es", "ja", "zh-CN"];
export const DIST = join(__dirname, "..", "..", "dist", "nodes");

interface Property {
  value: unknown;
  type?: string;
  required?: boolean;
  label?: string;
  validate?: Validator;
}

type Validator = (this: EditorNode, value: unknown, options: { label?: string }) => true | string;
type EditorNode = Record<string, unknown>;

export interface Definition {
  category: string;
  color?: string;
  icon: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<string, Property>;
  credentials?: Record<string, Property & { type: string }>;
  paletteLabel?(this: EditorNode): string;
  label(this: EditorNode): string;
  labelStyle(this: EditorNode): string;
  outputLabels?(this: EditorNode, index: number): string;
  button?: { enabled(this: EditorNode): boolean; visible(this: EditorNode): boolean };
  oneditsave?(this: EditorNode): void;
}

export interface EditorSet {
  name: string;
  html: string;
  form: string;
  script: string;
  registered: [type: string, definition: Definition][];
  /** All text keys that the script has requested so far, including when validators are called. */
  requestedKeys: Set<string>;
}

/** Config nodes as the editor holds them; the new one has not been validated yet. */
const ACCOUNTS: Record<string, { valid?: boolean }> = {
  complete: { valid: true },
  incomplete: { valid: false },
  new: {},
};

/** The names of sites as the labels on the canvas know them. */
const SITE_NAMES = {
  known: new Map([
    ["complete demo-house", "Demo house"],
    ["complete long", "The house with the longest name of all"],
  ]),
  requested: new Map(),
};

/** Unless a test opens the dialog, `$` finds nothing and validators use the node itself. */
const noFields = (): object => ({ closest: () => ({ data: () => undefined }) });

/** Stands for the page itself, on which a script may listen to clicks. */
const page = {};
const pageEvents = { on: () => pageEvents, off: () => pageEvents };

/** Behaves like the editor's own function, as far as the tests need it. */
function validateTypedProperty(value: unknown, type: string): true | string {
  return type === "env" || /^[\w.]+[\w]$/.test(String(value)) || "invalid";
}

/** A text of the catalogues, by a key such as `@energy-sites/node-red/account:label.name`. */
type Translate = (key: string, values?: Record<string, string | number>) => string;

/** Without `translate`, each text is its key. */
export function loadSet(
  name: string,
  fields: (selector: string) => object = noFields,
  translate: Translate = (key) => key,
): EditorSet {
  const html = readFileSync(join(DIST, name, `${name}.html`), "utf8");
  const form = new RegExp(
    `<script type="text/html" data-template-name="energy-${name}">(.*?)</script>`,
    "s",
  ).exec(html);
  const script = /<script type="text\/javascript">(.*?)<\/script>/s.exec(html);
  if (!form?.[1] || !script?.[1]) throw new Error(`${name}.html lacks its form or its script`);
  const registered: EditorSet["registered"] = [];
  const requestedKeys = new Set<string>();
  const RED = {
    nodes: {
      registerType: (type: string, definition: Definition) => registered.push([type, definition]),
      node: (id: string) => ACCOUNTS[id],
    },
    actions: { add: () => undefined, remove: () => undefined },
    events: { on: () => undefined },
    settings: {},
    i18n: { lang: () => "en-US" },
    utils: { validateTypedProperty },
    _: (key: string, values?: Record<string, string | number>) => {
      requestedKeys.add(key);
      return translate(key, values);
    },
  };
  const $ = (target: string | object): object => (typeof target === "string" ? fields(target) : pageEvents);
  const globals = { RED, $, URL, document: page, energySiteNames: SITE_NAMES, setTimeout: () => 0 };
  vm.runInNewContext(script[1], globals);
  return { name, html, form: form[1], script: script[1], registered, requestedKeys };
}

export function definitionOf(set: EditorSet): Definition {
  const definition = set.registered[0]?.[1];
  if (!definition) throw new Error(`${set.name} registers nothing`);
  return definition;
}

/** A node with the given properties, as passed to validators and label functions. */
export function nodeOf(set: EditorSet, properties: Record<string, unknown>): EditorNode {
  return { name: "", ...properties, _def: definitionOf(set), _: (key: string) => key };
}

/** Validates a property as the editor does, for a node with the given other properties. */
export function check(...args: Parameters<typeof validationResult>): boolean {
  return validationResult(...args) === true;
}

/** Like `check`, but returns the key of the error text. */
export function validationResult(
  set: EditorSet,
  property: string,
  value: unknown,
  others: Record<string, unknown> = {},
): true | string {
  const { defaults, credentials } = definitionOf(set);
  const { validate, label } = { ...defaults, ...credentials }[property] ?? {};
  if (!validate) throw new Error(`${property} has no validator`);
  return validate.call(nodeOf(set, { ...others, [property]: value }), value, { label });
}

/** The texts of a catalogue by dotted key. */
export function catalogue(name: string, language: string): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (node: object, prefix: string): void => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "string") texts.set(prefix + key, value);
      else add(value as object, `${prefix}${key}.`);
    }
  };
  add(JSON.parse(readFileSync(join(DIST, name, "locales", language, `${name}.json`), "utf8")) as object, "");
  return texts;
}

export function help(name: string, language: string): string {
  return readFileSync(join(DIST, name, "locales", language, `${name}.html`), "utf8");
}
