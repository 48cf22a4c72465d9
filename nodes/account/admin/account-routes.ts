// The admin routes: lists for the dialogs, the test of an account before it is deployed, diagnostics, and the button of a node.
import type { Node, NodeAPI } from "node-red";
import { withSignal } from "../../../src/abort";
import { ConfigError, EnergyError, errorText, InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import { isId } from "../../../src/settings/rules";
import { adminRoute, type AdminRequest, type AdminRoute } from "../../shared/runtime/admin/admin-route";
import { isServiceNode } from "../../shared/runtime/service/service-node";
import type { AccountConnection } from "../account-session";
import type { AccountChoices } from "./account-choices";
import { AccountDrafts, type DeployedAccount } from "./account-drafts";

/** A person waits: less than the account's timeout may be. */
const LIMIT_SECONDS = 14;

type Method = AdminRoute["method"];
type Values = AdminRequest["values"];
type Answer = (choices: AccountChoices, values: Values, signal: AbortSignal) => Promise<unknown>;

const CHOICES: Readonly<Record<string, Answer>> = {
  sites: (choices, values) => {
    const ids = optionalText(values, "ids");
    return ids === undefined
      ? choices.sites(optionalText(values, "search") ?? "")
      : choices.names(ids.split("\n"));
  },
  systems: (choices, values, signal) => choices.systems(requiredId(values, "siteId"), signal),
  values: (choices, values, signal) =>
    choices.values(requiredId(values, "siteId"), requiredId(values, "systemId"), signal),
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

  /** To `get`, the account as it is deployed, to `post`, the one in the dialog. */
  const connectionOf = async (method: Method, { id, values }: AdminRequest): Promise<AccountConnection> => {
    const deployed = deployedAccount(id);
    if (method === "post") return drafts.connection(id, values["account"], deployed);
    if (!deployed) throw new ConfigError("accountNotDeployed");
    return deployed.session.connection();
  };
  const route = (method: Method, name: string, answer: Answer): void =>
    adminRoute(RED, {
      method,
      path: `accounts/:id/${name}`,
      handle: (request) => {
        const work = async (limited: AbortSignal): Promise<unknown> =>
          answer((await connectionOf(method, request)).choices, request.values, limited);
        const error = (): EnergyError =>
          new EnergyError("ENERGY_TIMEOUT", errorText("noAnswer", { seconds: LIMIT_SECONDS }));
        return withSignal([request.signal], work, { ms: LIMIT_SECONDS * 1000, error });
      },
    });
  for (const [name, answer] of Object.entries(CHOICES))
    for (const method of ["get", "post"] as const) route(method, name, answer);
  route("post", "test", (choices, _values, signal) => choices.test(signal));

  for (const kind of ["accounts", "nodes"] as const)
    adminRoute(RED, {
      method: "get",
      path: `${kind}/:id/diagnostics`,
      handle: async ({ id }) => {
        // Loaded on the first request, so that it does not slow down Node-RED's start.
        const {
          reportOf,
        }: typeof import("../../shared/runtime/diagnostics/build-report") = require("../../shared/runtime/diagnostics/build-report");
        return { text: await reportOf(RED, kind, id) };
      },
    });
  adminRoute(RED, {
    method: "post",
    path: "nodes/:id/run",
    // The node queues the run as it does for any message, here an empty one. No other node of the flow may be started.
    handle: async ({ id }) => {
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

function requiredId(values: Values, name: string): string {
  const id = optionalText(values, name) ?? "";
  if (id === "") throw new InputError("siteMissing");
  if (!isId(id)) throw new InputError("idInvalid", { name });
  return id;
}
