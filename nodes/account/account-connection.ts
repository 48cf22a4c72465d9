// The connection that the nodes of an account share. Loaded on first use, so that it does not slow down Node-RED's start.
import { type ConnectionSettings, pc1Mode } from "../../src/client/connection";
import { type ClientOptions, createServiceClient, type ServiceClient } from "../../src/client/service-client";
import { SiteDirectory } from "../../src/client/site-directory";
import { AccountChoices } from "./admin/account-choices";

export interface AccountConnection {
  client: ServiceClient;
  directory: SiteDirectory;
  /** What the dialogs offer to choose from. */
  choices: AccountChoices;
}

/** The parameters are those of createServiceClient. */
export function connectAccount(
  settings: ConnectionSettings,
  onClockCorrected: (correction: number) => void,
  options: ClientOptions,
): AccountConnection {
  const client = createServiceClient(settings, onClockCorrected, options);
  const choices = new AccountChoices(client, pc1Mode(settings));
  return { client, directory: new SiteDirectory((pc1) => client.sites({ pc1 })), choices };
}
