// What the nodes of an account share once the first of them asks. Loaded then, so that no start of Node-RED waits for it.
import type { ConnectionSettings } from "../../src/client/connection";
import { createServiceClient, type ServiceClient } from "../../src/client/service-client";
import { SiteDirectory } from "../../src/client/site-directory";

export interface Opened {
  client: ServiceClient;
  directory: SiteDirectory;
}

export function openAccount(settings: ConnectionSettings): Opened {
  const client = createServiceClient(settings);
  return { client, directory: new SiteDirectory(client) };
}
