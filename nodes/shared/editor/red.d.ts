// The parts of the editor's `RED` that this package uses, where the published types lack them, such as validators that return a message.

/** A node or config node in the editor: its properties, and the texts of its own catalogue. */
interface EditorNode {
  [property: string]: unknown;
  id: string;
  type: string;
  name: string;
  /** The flow or subflow to which it belongs; absent if it is global. */
  z?: string;
  changed?: boolean;
  /** What the node shows on the canvas. */
  status?: { fill?: string };
  credentials?: Record<string, unknown>;
  _def: EditorDefinition;
  _(key: string, values?: Record<string, string | number>): string;
}

/** A validator with two parameters may return a text, which the editor shows at the field. */
type EditorValidator = (this: EditorNode, value: unknown, options?: { label?: string }) => true | string;

interface EditorProperty {
  value: unknown;
  /** The name of the field in messages of the editor and of validators. */
  label?: string;
  /** `false` if the config node is optional. */
  required?: boolean;
  type?: string;
  validate?: EditorValidator;
}

/** A password is never sent to the editor; its field shows a placeholder. */
type EditorCredential = Pick<EditorProperty, "label" | "validate"> & { type: "text" | "password" };

interface EditorButton {
  enabled(this: EditorNode): boolean;
  visible(this: EditorNode): boolean;
  onclick(this: EditorNode): void;
}

interface EditorDefinition {
  category: string;
  color?: string;
  icon?: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<string, EditorProperty>;
  credentials?: Record<string, EditorCredential>;
  paletteLabel?(this: EditorNode): string;
  label?(this: EditorNode): string;
  labelStyle?(this: EditorNode): string;
  outputLabels?(this: EditorNode, index: number): string;
  button?: EditorButton;
  oneditprepare?(this: EditorNode): void;
  oneditsave?(this: EditorNode): void;
  /** Called for a node dropped from the palette, and for one that is pasted or imported. */
  onadd?(this: EditorNode): void;
}

declare const RED: Pick<
  import("node-red__editor-client").RED,
  "_" | "editor" | "events" | "i18n" | "tray"
> & {
  actions: {
    add(name: string, run: () => void, options: { label: string }): void;
    remove(name: string): void;
    invoke(name: string): void;
  };
  notify(content: JQuery, options: object): { close(): void };
  view: {
    redraw(updatesActive?: boolean): void;
    select(selection: { nodes: EditorNode[] }): void;
    selection(): { nodes?: EditorNode[] };
  };
  clipboard: {
    /** Returns whether it succeeded; it also does on http, where browsers offer no clipboard. */
    copyText(text: string): boolean;
  };
  nodes: {
    registerType(type: string, definition: EditorDefinition): void;
    /** Undefined or null if there is none, depending on the version of Node-RED. */
    node(id: string): EditorNode | null | undefined;
    eachNode(visit: (node: EditorNode) => void): void;
    eachConfig(visit: (node: EditorNode) => void): void;
    /** The wires to the input (`type` 1) of a node, or from its outputs. */
    getNodeLinks(id: string, type: number): { source: EditorNode; sourcePort: number; target: EditorNode }[];
    subflow(id: string): object | undefined;
    id(): string;
    workspace(id: string): object | undefined;
    /** Adds nodes as a flow file has them. */
    import(flow: object[], options: object): { nodes: EditorNode[] };
    addLink(link: object): void;
    dirty(isDirty?: boolean): boolean;
  };
  tourGuide: { run(module: string): void };
  history: { push(event: object): void };
  settings: {
    context?: { stores?: string[] };
    getLocal(key: string): unknown;
    setLocal(key: string, value: string): void;
  };
  utils: {
    getNodeLabel(node: EditorNode): string;
    validateTypedProperty(value: unknown, type: string, options?: object): true | string;
  };
};
