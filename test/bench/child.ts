// A process of the benchmark that answers questions, one at a time.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { atExit } from "./cleanup";

export class Child {
  readonly #process: ChildProcess;

  /** @param script a file of this folder */
  constructor(script: string) {
    this.#process = fork(join(__dirname, script), { execArgv: ["--import", "tsx"] });
    atExit(() => this.#process.kill());
  }

  /** Resolves to the answer, which is not checked. Rejects if the process ends. */
  async ask<Answer>(question: object | string): Promise<Answer> {
    const waiting = new AbortController();
    const { signal } = waiting;
    const ended = once(this.#process, "exit", { signal }).then(() => {
      throw new Error("a benchmark process ended unexpectedly; see above");
    });
    this.#process.send(question);
    const [answer] = (await Promise.race([once(this.#process, "message", { signal }), ended])) as [Answer];
    // Ignore the rejection of the wait that is cancelled here.
    ended.catch(() => undefined);
    waiting.abort();
    return answer;
  }

  async end(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.kill();
    await exited;
  }
}
