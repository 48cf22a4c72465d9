// Reads the sites of an account that opted in to PC1, whether or not it did.
import type { ServiceClient } from "../../../src/client/service-client";
import type { Site } from "../../../src/models/site";

/** Never rejects: a service without the preview version may refuse it, and then has no such sites. */
export function previewSites(client: ServiceClient, signal: AbortSignal): Promise<Site[]> {
  return client.sites({ once: true, signal, pc1: true }).catch(() => []);
}
