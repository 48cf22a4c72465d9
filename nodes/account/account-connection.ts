// The connection that the nodes of an account share. Loaded on first use, so that it does not slow down Node-RED's start.
import type { ConnectionSettings } from "../../src/client/connection";
import { createServiceClient, type ServiceClient } from "../../src/client/service-client";
import { SiteDirectory } from "../../src/client/site-directory";

export interface AccountConnection {
  client: ServiceClient;
  directory: SiteDirectory;
}

/** @param onClockCorrected as for createServiceClient */
export function connectAccount(
  settings: ConnectionSettings,
  onClockCorrected: (correction: number) => void,
): AccountConnection {
  const client = createServiceClient(settings, onClockCorrected);
  return { client, directory: new SiteDirectory(client) };
}
