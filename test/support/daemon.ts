// Another program's server on loopback that a test stops, kills and starts again.
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

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const [program, ...args] = this.command;
    const child = spawn(program, args, { stdio: "ignore" });
    this.#child = child;
    // However the tests end, it ends with them.
    const end = (): void => void child.kill();
    process.once("exit", end);
    child.once("close", () => process.off("exit", end));
    await eventually(
      () => `${program} does not answer`,
      async () => (await takesConnections(this.port)) || undefined,
    );
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /**
   * A crash. It stands still before that: what it has written to others is read by them, and not taken away by a
   * connection that breaks while they write.
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

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
