// Types of node-red.mjs, for the tests.
export interface NodeRedOptions {
  /** Node.js to run it on; default: the one that runs this. */
  node?: string;
  /** The installed node-red package. */
  folder: string;
  userDir: string;
  port: number;
  /** Settings by their path, such as `editorTheme.tours`. */
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
  onOutput?: (text: string) => void;
}

export interface NodeRedProcess {
  url: string;
  /** All that it has printed. */
  output(): string;
  /** Resolves with the exit code, null when a signal ended it. */
  exited: Promise<number | null>;
  /** Resolves when the editor answers. Rejects with the output when it never does. */
  ready: Promise<void>;
  stop(): Promise<number | null>;
  /** As a crash does: nothing is closed, nothing is saved. */
  kill(): Promise<void>;
}

export function startNodeRed(options: NodeRedOptions): NodeRedProcess;
export function freePort(wanted?: number): Promise<number>;
