// The routes by which the dialogs list sites, systems and values, and test an account before it is deployed.
import type { NodeAPI } from "node-red";
import { ConfigError, InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import { isId } from "../../../src/settings/rules";
import { adminRoute } from "../../shared/runtime/admin/admin-route";
import type { AccountChoices } from "./account-choices";
import { AccountDrafts, type DeployedAccount } from "./account-drafts";

/** What a dialog requests: parameters of the URL, or properties of the body. */
type Parameters = Readonly<Record<string, unknown>>;
type Answer = (choices: AccountChoices, parameters: Parameters, signal: AbortSignal) => Promise<unknown>;

const CHOICES: Readonly<Record<string, Answer>> = {
  sites: (choices, parameters) => {
    const ids = optionalText(parameters, "ids");
    return ids === undefined
      ? choices.sites(optionalText(parameters, "search") ?? "", Number(parameters["from"]) || 0)
      : choices.names(ids.split(","));
  },
  systems: (choices, parameters, signal) => choices.systems(requiredId(parameters, "siteId"), signal),
  values: (choices, parameters, signal) =>
    choices.values(requiredId(parameters, "siteId"), optionalId(parameters, "systemId"), signal),
  day: (choices, parameters, signal) => {
    const path = optionalText(parameters, "path") ?? "";
    return choices.day(requiredId(parameters, "siteId"), requiredId(parameters, "systemId"), path, signal);
  },
};

export function registerAccountRoutes(
  RED: NodeAPI,
  deployedAccount: (id: string) => DeployedAccount | undefined,
): void {
  const drafts = new AccountDrafts(RED);

  const choicesOf = async (id: string): Promise<AccountChoices> => {
    const deployed = deployedAccount(id);
    if (!deployed) throw new ConfigError("accountNotDeployed");
    return (await deployed.session.connection()).choices;
  };
  /** With `get`, answers for the account as it is deployed, with `post` for the one in the dialog. */
  const route = (method: "get" | "post", name: string, answer: Answer): void =>
    adminRoute(RED, {
      method,
      path: `energy-sites/accounts/:id/${name}`,
      permission: method === "get" ? "energy-account.read" : "energy-account.write",
      handle: async ({ params: { id = "" }, query, body, signal }) => {
        if (method === "get") return answer(await choicesOf(id), query, signal);
        const { choices } = await drafts.connection(id, body["account"], deployedAccount(id));
        return answer(choices, body, signal);
      },
    });
  for (const [name, answer] of Object.entries(CHOICES))
    for (const method of ["get", "post"] as const) route(method, name, answer);
  route("post", "test", (choices, _parameters, signal) => choices.test(signal));
}

function optionalText(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new InputError("inputText", { name, kind: kindOf(value) });
  return value;
}

function optionalId(parameters: Parameters, name: string): string | undefined {
  const id = optionalText(parameters, name);
  if (id === undefined || id === "") return undefined;
  if (!isId(id)) throw new InputError("idInvalid", { name });
  return id;
}

function requiredId(parameters: Parameters, name: string): string {
  const id = optionalId(parameters, name);
  if (id === undefined) throw new InputError("siteMissing");
  return id;
}
