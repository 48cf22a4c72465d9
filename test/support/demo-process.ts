// Runs the demo as a user would: the command, its output, and its exit.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "./eventually";
import { ROOT } from "./package";

export interface DemoProcess {
  /** The printed link, which logs in by itself. */
  editorUrl: string;
  dashboardUrl: string;
  brokerUrl: string;
  user: string;
  password: string;
  /** A request to the admin API, with the password of the demo. */
  admin(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a signal, as Ctrl-C or a service manager does. Resolves with the exit code once all processes have ended. */
  end(signal: "SIGINT" | "SIGTERM"): Promise<number | null>;
}

const START = [process.execPath, join(ROOT, "tools", "start.mjs")] as const;
const PRINTED = /Editor\s+(\S+)\s+Dashboard\s+(\S+)\s+Broker\s+(\S+).*\s+User\s+(\S+)\s+Password\s+(\S+)\s/;

/** Starts the command directly, or as npm does: in a shell, which alone receives the signal. */
export async function startDemoProcess(userDir: string, isRunByNpm = false): Promise<DemoProcess> {
  const command: string[] = isRunByNpm
    ? ["sh", "-c", '"$0" "$@"; exit', ...START, userDir]
    : [...START, userDir];
  const [program = "", ...options] = command;
  const child = spawn(program, options, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_lifecycle_event: isRunByNpm ? "start" : "" },
  });
  const endChild = (): void => void child.kill();
  process.once("exit", endChild);
  child.once("close", () => process.off("exit", endChild));
  const output = collected(child);
  const closed = once(child, "close") as Promise<[number | null]>;
  const [, editorUrl = "", dashboardUrl = "", brokerUrl = "", user = "", password = ""] = await eventually(
    () => `the demo did not start:\n${output()}`,
    async () => PRINTED.exec(output()) ?? undefined,
  );
  return {
    editorUrl,
    dashboardUrl,
    brokerUrl,
    user,
    password,
    admin(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${password}`);
      return fetch(new URL(path, editorUrl), { ...init, headers });
    },
    async end(signal) {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

function collected(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  return () => text;
}
