// The routes by which the dialogs list sites, systems and values, and test an account before it is deployed.
import type { NodeAPI } from "node-red";
import { ConfigError, InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import { isId } from "../../../src/settings/id";
import { type AdminRequest, adminRoute } from "../../shared/runtime/admin/admin-route";
import type { AccountConnection } from "../account-connection";
import { demoTarget } from "../demo-account";
import { type DeployedAccount, draftSettings, readDraft } from "./account-draft";
import { testAccount } from "./account-test";
import { DraftConnections } from "./draft-connections";

export type { DeployedAccount } from "./account-draft";

/** What a dialog asks for: parameters of the URL, or properties of the body. */
type Parameters = Readonly<Record<string, unknown>>;
type Answer = (connection: AccountConnection, asked: Parameters, signal: AbortSignal) => Promise<unknown>;

const ACCOUNTS = "energy-sites/accounts/:id";

const CHOICES: Readonly<Record<string, Answer>> = {
  sites: ({ choices }, asked) => {
    const ids = optionalText(asked, "ids");
    return ids === undefined
      ? choices.sites(optionalText(asked, "search") ?? "")
      : choices.names(ids.split(","));
  },
  systems: ({ choices }, asked, signal) => choices.systems(requiredId(asked, "siteId"), signal),
  values: ({ choices }, asked, signal) =>
    choices.values(requiredId(asked, "siteId"), optionalId(asked, "systemId"), signal),
};

/** @param deployedAccount the account with an id, if it runs */
export function registerAccountRoutes(
  RED: NodeAPI,
  deployedAccount: (id: string) => DeployedAccount | undefined,
): void {
  const drafts = new DraftConnections((stop) => RED.events.once("flows:stopping", stop));

  const deployedConnection = ({ params }: AdminRequest): Promise<AccountConnection> => {
    const deployed = deployedAccount(params["id"] ?? "");
    if (!deployed) throw new ConfigError("accountNotDeployed");
    return deployed.session.connection();
  };
  const draftConnection = async ({ params, body }: AdminRequest): Promise<AccountConnection> => {
    const id = params["id"] ?? "";
    const deployed = deployedAccount(id);
    const draft = readDraft(RED, id, body["account"], deployed);
    if (draft.config.service === "demo")
      return drafts.use("demo", () => demoTarget(RED, draft.scope, draft.config)).connection();
    // One request each: a person is waiting.
    const settings = { ...draftSettings(RED, draft, deployed), retryDelaysMs: [] };
    return drafts.use(settings, () => Promise.resolve({ settings })).connection();
  };

  for (const [name, answer] of Object.entries(CHOICES)) {
    adminRoute(RED, {
      method: "get",
      path: `${ACCOUNTS}/${name}`,
      permission: "energy-account.read",
      handle: async (request) => answer(await deployedConnection(request), request.query, request.signal),
    });
    adminRoute(RED, {
      method: "post",
      path: `${ACCOUNTS}/${name}`,
      permission: "energy-account.write",
      handle: async (request) => answer(await draftConnection(request), request.body, request.signal),
    });
  }
  adminRoute(RED, {
    method: "post",
    path: `${ACCOUNTS}/test`,
    permission: "energy-account.write",
    handle: async (request) => testAccount(await draftConnection(request), request.signal),
  });
}

function optionalText(asked: Parameters, name: string): string | undefined {
  const value = asked[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new InputError("inputText", { name, kind: kindOf(value) });
  return value;
}

function optionalId(asked: Parameters, name: string): string | undefined {
  const id = optionalText(asked, name);
  if (id === undefined || id === "") return undefined;
  if (!isId(id)) throw new InputError("idInvalid", { name });
  return id;
}

function requiredId(asked: Parameters, name: string): string {
  const id = optionalId(asked, name);
  if (id === undefined) throw new InputError("siteMissing");
  return id;
}
