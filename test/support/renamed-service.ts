// A service with sites of its own: the simulated sites under other ids, as in the account of a user.
import { MINUTE } from "../../src/time-units";
import { startStrictService } from "./demo-service";
import type { Credentials } from "./demo-tokens";

const DEMO = "demo-";

export interface RenamedService extends Credentials {
  baseUrl: string;
  /** The id that a site or system of the demo has here. */
  renamed(id: string): string;
  close(): Promise<void>;
}

/** @param prefix what the ids begin with, such as `own-`; those of the demo are unknown here */
export async function startRenamedService(prefix: string): Promise<RenamedService> {
  const credentials = { clientId: "own-client", clientSecret: "own-secret" };
  const renamed = (text: string): string => text.replaceAll(DEMO, prefix);
  const service = await startStrictService({
    credentials,
    intercept(request) {
      request.url = request.url?.replaceAll(DEMO, "unknown-").replaceAll(prefix, DEMO);
      return false;
    },
    // Longer ones are less to read.
    records: () => ({ length: 15 * MINUTE }),
    shape: (body) => JSON.parse(renamed(JSON.stringify(body))) as unknown,
  });
  return { ...credentials, baseUrl: service.baseUrl, renamed, close: () => service.close() };
}
