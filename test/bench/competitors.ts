// The competitors: each runs the same work in its own process and measures it.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { atExit } from "./cleanup";
import { CLIENT, coreFlow, historyFlow, pollFlow } from "./flows";
import { startRig } from "./rig";
import { dayUrl, daysBefore, RECORDS_PER_DAY, type Sample, type Work } from "./work";

export interface Competitor {
  name: string;
  run(): Promise<Sample>;
  stop: () => Promise<void>;
}

const SLOT = 300_000;

/** Starts the service and prepares work for the given number of days. */
export async function startService(days: number): Promise<{ work: Work; stop: () => Promise<void> }> {
  const now = Math.floor(Date.now() / SLOT) * SLOT;
  const service = forkScript("service.ts");
  const baseUrl = (await ask(service, now)) as string;
  const basic = Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString("base64");
  const headers = { Authorization: `Basic ${basic}` };
  const answer = await fetch(`${baseUrl}/v1/auth`, { method: "POST", headers });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { work: { baseUrl, token, days: daysBefore(now, days) }, stop: () => end(service) };
}

export function startAxiosLoop(work: Work): Competitor {
  const script = forkScript("axios-loop.ts");
  return {
    name: "bare axios loop (a)",
    run: async () => (await ask(script, work)) as Sample,
    stop: () => end(script),
  };
}

export async function startCoreFlow(work: Work): Promise<Competitor> {
  const rig = await startRig(coreFlow());
  const messages = work.days.map((day) => ({ url: dayUrl(work.baseUrl, day), token: work.token }));
  return {
    name: "flow of core nodes (b)",
    run: () => rig.run({ messages, recordsPerMessage: RECORDS_PER_DAY }),
    stop: rig.stop,
  };
}

/** Sends one message, from whose start time the poll catches up by itself. */
export async function startPollFlow({ baseUrl, days }: Work): Promise<Competitor> {
  const rig = await startRig(pollFlow(baseUrl));
  const messages = [{ startTime: days[0]?.startTime }];
  return {
    name: "telemetry poll",
    run: () => rig.run({ messages, recordsPerMessage: days.length * RECORDS_PER_DAY }),
    stop: rig.stop,
  };
}

/** Sends one message with the whole range. */
export async function startHistoryFlow({ baseUrl, days }: Work): Promise<Competitor> {
  const rig = await startRig(historyFlow(baseUrl));
  const payload = { startTime: days[0]?.startTime, endTime: days.at(-1)?.endTime };
  return {
    name: "history",
    run: () => rig.run({ messages: [{ payload }], recordsPerMessage: days.length * RECORDS_PER_DAY }),
    stop: rig.stop,
  };
}

function forkScript(name: string): ChildProcess {
  const script = fork(join(__dirname, name), { execArgv: ["--import", "tsx"] });
  atExit(() => script.kill());
  return script;
}

async function ask(script: ChildProcess, question: Work | number): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(script, "exit", { signal }).then(() => {
    throw new Error("a benchmark process ended unexpectedly; see above");
  });
  script.send(question);
  const [answer] = (await Promise.race([once(script, "message", { signal }), ended])) as [unknown];
  // Ignore the rejection of the wait that is cancelled here.
  ended.catch(() => undefined);
  waiting.abort();
  return answer;
}

async function end(script: ChildProcess): Promise<void> {
  const exited = once(script, "exit");
  script.kill();
  await exited;
}
