// The admin routes: lists for the dialogs, the test of an account before it is deployed, diagnostics, and the button of a node.
import type { Node, NodeAPI } from "node-red";
import { withSignal } from "../../../src/abort";
import { ConfigError, EnergyError, errorText, InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import { isId } from "../../../src/settings/rules";
import { adminRoute, type AdminRequest } from "../../shared/runtime/admin/admin-route";
import { isServiceNode } from "../../shared/runtime/service/service-node";
import type { AccountChoices } from "./account-choices";
import { AccountDrafts, type DeployedAccount } from "./account-drafts";

/** A person waits: less than the account's timeout may be. */
const LIMIT_SECONDS = 14;

type Values = AdminRequest["values"];
type Answer = (choices: AccountChoices, values: Values, signal: AbortSignal) => Promise<unknown>;

const CHOICES: Readonly<Record<string, Answer>> = {
  sites: (choices, values) => {
    const ids = optionalText(values, "ids");
    return ids === undefined
      ? choices.sites(optionalText(values, "search") ?? "", Number(values["from"]) || 0)
      : choices.names(ids.split(","));
  },
  systems: (choices, values, signal) => choices.systems(requiredId(values, "siteId"), signal),
  values: (choices, values, signal) =>
    choices.values(requiredId(values, "siteId"), optionalId(values, "systemId"), signal),
  day: (choices, values, signal) => {
    const path = optionalText(values, "path") ?? "";
    return choices.day(requiredId(values, "siteId"), requiredId(values, "systemId"), path, signal);
  },
};

export function registerRoutes(
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
      handle: ({ params: { id = "" }, values, signal }) => {
        const work = async (limited: AbortSignal): Promise<unknown> => {
          if (method === "get") return answer(await choicesOf(id), values, limited);
          const { choices } = await drafts.connection(id, values["account"], deployedAccount(id));
          return answer(choices, values, limited);
        };
        const error = (): EnergyError =>
          new EnergyError("ENERGY_TIMEOUT", errorText("noAnswer", { seconds: LIMIT_SECONDS }));
        return withSignal([signal], work, { ms: LIMIT_SECONDS * 1000, error });
      },
    });
  for (const [name, answer] of Object.entries(CHOICES))
    for (const method of ["get", "post"] as const) route(method, name, answer);
  route("post", "test", (choices, _values, signal) => choices.test(signal));

  for (const kind of ["accounts", "nodes"] as const)
    adminRoute(RED, {
      method: "get",
      path: `energy-sites/${kind}/:id/diagnostics`,
      permission: "energy-account.read",
      handle: async ({ params: { id = "" } }) => {
        // Loaded on the first request, so that it does not slow down Node-RED's start.
        const {
          reportOf,
        }: typeof import("../../shared/runtime/diagnostics/build-report") = require("../../shared/runtime/diagnostics/build-report");
        return { text: await reportOf(RED, kind, id) };
      },
    });
  adminRoute(RED, {
    method: "post",
    path: "energy-sites/nodes/:id/run",
    permission: "energy-account.write",
    // The node queues the run as it does for any message, here an empty one. No other node of the flow may be started.
    handle: async ({ params: { id = "" } }) => {
      const node = RED.nodes.getNode(id) as Node | null;
      if (!node || !isServiceNode(node)) throw new ConfigError("nodeNotDeployed");
      node.receive({});
      return {};
    },
  });
}

function optionalText(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new InputError("inputText", { name, kind: kindOf(value) });
  return value;
}

function optionalId(values: Values, name: string): string | undefined {
  const id = optionalText(values, name);
  if (id === undefined || id === "") return undefined;
  if (!isId(id)) throw new InputError("idInvalid", { name });
  return id;
}

function requiredId(values: Values, name: string): string {
  const id = optionalId(values, name);
  if (id === undefined) throw new InputError("siteMissing");
  return id;
}
