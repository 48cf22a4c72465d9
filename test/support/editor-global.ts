// A stand-in for the editor's global `RED`, for editor code that is tested without a browser. Texts are the shipped ones.
import { translatorOf } from "./catalogue";

export type Language = "en-US" | "de";

export interface EditorState {
  language?: Language;
  configNodes?: Partial<EditorNode>[];
  nodes?: Partial<EditorNode>[];
  subflows?: string[];
  /** What the browser has stored. */
  local?: Record<string, string>;
  /** What Node-RED answers to a request with these parameters. */
  answer?: (parameters: Readonly<Record<string, string>>) => object;
}

/** Replaces the global `RED` and `$`; returns a function that puts the old ones back. */
export function installEditor({
  language = "en-US",
  configNodes = [],
  nodes = [],
  subflows = [],
  local = {},
  answer = () => ({}),
}: EditorState): () => void {
  const translator = translatorOf(language);
  const all = configNodes as EditorNode[];
  const editor = {
    nodes: {
      node: (id: string) => all.find((node) => node.id === id) ?? null,
      eachConfig: (visit: (node: EditorNode) => void) => all.forEach(visit),
      eachNode: (visit: (node: EditorNode) => void) => (nodes as EditorNode[]).forEach(visit),
      subflow: (id: string) => (subflows.includes(id) ? {} : undefined),
    },
    i18n: { lang: () => language },
    view: { redraw: () => undefined },
    settings: {
      getLocal: (key: string) => local[key],
      setLocal: (key: string, value: string) => void (local[key] = value),
    },
    _: (key: string, values: Record<string, string | number> = {}) => translator.t(key, values),
  };
  const shared = globalThis as { RED?: unknown; $?: unknown };
  const { RED, $ } = shared;
  // No dialog is open.
  const query = (): object => ({ closest: () => ({ data: () => undefined }) });
  const ajax = ({ data }: { data: Record<string, string> }): Promise<object> => Promise.resolve(answer(data));
  Object.assign(shared, { RED: editor, $: Object.assign(query, { ajax }) });
  return () => void Object.assign(shared, { RED, $ });
}
