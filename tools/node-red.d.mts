// Types for node-red.mjs, used by the tests.
export interface NodeRedOptions {
  /** The Node.js executable; defaults to the one running this script. */
  node?: string;
  /** The folder of the installed node-red package. */
  folder: string;
  userDir: string;
  port: number;
  /** A settings file to use instead of the one in the user directory. */
  settingsFile?: string;
  /** Settings by their path, such as `editorTheme.tours`. */
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
  onOutput?: (text: string) => void;
}

export interface NodeRedProcess {
  url: string;
  pid: number | undefined;
  /** Everything printed so far. */
  output(): string;
  /** Resolves with the exit code, or null if a signal ended the process. */
  exited: Promise<number | null>;
  /** Resolves when the editor responds. Rejects with the output if it does not. */
  ready: Promise<void>;
  stop(): Promise<number | null>;
  /** Simulates a crash: nothing is closed or saved. */
  kill(): Promise<void>;
}

export function startNodeRed(options: NodeRedOptions): NodeRedProcess;
export function freePort(preferred?: number): Promise<number>;
