// What this package uses of the editor's `RED`. The published types lack validators that say what is wrong.

/** A node as the editor holds it: its properties, and the texts of its own catalogue. */
interface EditorNode {
  [property: string]: unknown;
  name: string;
  _def: EditorDefinition;
  _(key: string): string;
}

/** Declared with two parameters, a validator may answer with a text: the editor shows it at the field. */
type EditorValidator = (this: EditorNode, value: unknown, options?: { label?: string }) => true | string;

interface EditorProperty {
  /** Of a new node. */
  value: unknown;
  /** What a node takes whose flow does not have the property, where that is not the value of a new one. */
  absent?: unknown;
  /** Name of the field in the texts of the editor and of validators. */
  label?: string;
  /** `false`: a config node that may be missing. */
  required?: boolean;
  /** Type of the config node that the property points at. */
  type?: string;
  validate?: EditorValidator;
}

/** A password is never sent to the editor: its field shows a placeholder. */
interface EditorCredential {
  type: "text" | "password";
  label?: string;
  validate?: EditorValidator;
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
  oneditprepare?(this: EditorNode): void;
  oneditsave?(this: EditorNode): void;
}

declare const RED: {
  nodes: {
    registerType(type: string, definition: EditorDefinition): void;
    /** `valid` is absent until the editor has checked it. */
    node(id: string): { valid?: boolean } | null;
  };
  settings: { context?: { stores?: string[] } };
  utils: { validateTypedProperty(value: unknown, type: string, options?: object): true | string };
  _(key: string, values?: Record<string, string | number>): string;
};
