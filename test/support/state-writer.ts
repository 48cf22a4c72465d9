// Saves states one after the other, several at a time, until it is killed or fails; says what it begins to save and what is saved.
import { writeSync } from "node:fs";
import promises from "node:fs/promises";
import { StateLog } from "../../nodes/shared/runtime/state/state-log";
import type { StateForm } from "../../src/stored-state";

/** Any state. */
export const AS_STORED: StateForm<unknown> = { read: (stored) => stored };

/** As long as a state of a poll, so that the log is rewritten often. */
export const TEXT = "x".repeat(100);
export const WRITERS = 8;

async function write(path: string): Promise<void> {
  const say = (text: string): void => void writeSync(1, `${text}\n`);
  const log = new StateLog({
    path,
    owner: { nodeId: "writer" },
    onDamaged: (aside) => say(`damaged ${aside}`),
  });
  const writer = async (id: string): Promise<void> => {
    const known = (await log.state(id, AS_STORED).load()) as { count: number } | undefined;
    for (let count = (known?.count ?? 0) + 1; ; count += 1) {
      say(`begin ${id} ${count}`);
      await log.state(id, AS_STORED).save({ count, text: TEXT + count });
      say(`saved ${id} ${count}`);
    }
  };
  // By default, a file that reaches its limit ends the process.
  process.on("SIGXFSZ", () => undefined);
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(`s${index}`)));
}

const [, , target, ending] = process.argv;
// In the middle of a rewrite: the new file is there, and the old one is not replaced.
if (ending === "rewrite") promises.rename = () => new Promise(() => process.kill(process.pid, "SIGKILL"));
if (require.main === module && target !== undefined)
  write(target).catch((error: { code: string }) => writeSync(1, `failed ${error.code}\n`));
