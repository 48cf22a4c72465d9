// Tries an account with a few requests, and counts the sites that it and its nodes can see.
import type { TestAnswer } from "../../../src/choices/choices";
import { siteIdOf } from "../../../src/models/site";
import type { AccountConnection } from "../account-connection";
import { previewSites } from "./preview-sites";
import { withTimeLimit } from "./time-limit";

/** Takes 14 s at most, whatever the account's timeout. Throws like ServiceClient.sites. */
export async function testAccount(
  { client, pc1 }: AccountConnection,
  signal: AbortSignal,
): Promise<TestAnswer> {
  const [visible, everything] = await withTimeLimit(signal, async (limited) => {
    const own = await client.sites({ once: true, signal: limited });
    const preview = pc1 === "off" ? await previewSites(client, limited) : [];
    return [new Set(own.map(siteIdOf)), new Set([...own, ...preview].map(siteIdOf))];
  });
  const { correction } = client.clock;
  return {
    sites: everything.size,
    needPc1: everything.size - visible.size,
    pc1,
    ...(correction === undefined ? {} : { clock: correction }),
  };
}
