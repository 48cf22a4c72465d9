// Debian's mosquitto, set up to queue messages for disconnected subscribers.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../tools/node-red.mjs";
import { Daemon } from "./daemon";
import { temporaryFolder } from "./temporary";

/** @param saves after every change, so that it survives being killed; else only when it stops, as it does by default for half an hour */
export async function mosquittoDaemon(program: string, saves = true): Promise<Daemon> {
  const port = await freePort();
  const folder = temporaryFolder();
  const settings = [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous true",
    // As root, it would switch to a user that cannot write to the folder.
    "user root",
    "persistence true",
    `persistence_location ${folder}/`,
    ...(saves ? ["autosave_on_changes true", "autosave_interval 1"] : []),
    // Without limits, so that the broker loses nothing it has accepted.
    "max_inflight_messages 0",
    "max_queued_messages 0",
  ];
  const file = join(folder, "mosquitto.conf");
  writeFileSync(file, settings.map((line) => `${line}\n`).join(""));
  return new Daemon([program, "-c", file], port);
}
