// A server process on loopback that a test can stop, kill and restart.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "./eventually";

export class Daemon {
  #child: ChildProcess | undefined;

  constructor(
    private readonly command: [program: string, ...args: string[]],
    readonly port: number,
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const [program, ...args] = this.command;
    const child = spawn(program, args, { stdio: "ignore" });
    this.#child = child;
    // Kill the server when the test process exits, for whatever reason.
    const end = (): void => void child.kill();
    process.once("exit", end);
    child.once("close", () => process.off("exit", end));
    await eventually(
      () => `${program} does not respond`,
      async () => (await acceptsConnections(this.port)) || undefined,
    );
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /**
   * Simulates a crash. The process is paused first, so that its peers can read what it has sent before the connection
   * breaks.
   */
  async kill(): Promise<void> {
    this.#child?.kill("SIGSTOP");
    await pause(500);
    await this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return;
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
