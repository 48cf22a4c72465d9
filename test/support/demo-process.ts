// The demo as a person starts it: the command, what it prints, and its end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "./eventually";
import { ROOT } from "./package";

export interface DemoProcess {
  editorUrl: string;
  brokerUrl: string;
  /** Ends it as Ctrl-C does, or as a service manager; answers with the exit code. */
  end(signal: "SIGINT" | "SIGTERM"): Promise<number | null>;
}

export async function startDemoProcess(userDir: string): Promise<DemoProcess> {
  const child = spawn(process.execPath, [join(ROOT, "tools", "start.mjs"), userDir], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collected(child);
  const closed = once(child, "close") as Promise<[number | null]>;
  const [, editorUrl = "", brokerUrl = ""] = await eventually(
    () => `the demo does not start:\n${output()}`,
    async () => /Editor\s+(\S+)\s+Broker\s+(\S+)/.exec(output()) ?? undefined,
  );
  return {
    editorUrl,
    brokerUrl,
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
