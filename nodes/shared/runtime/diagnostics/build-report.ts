// Builds the report of a node or an account from what they know about themselves. Loaded when it is requested.
import { arch, platform } from "node:os";
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { settingTexts } from "../../../../src/diagnostics/privacy";
import type { AccountPart, NodePart } from "../../../../src/diagnostics/parts";
import { report } from "../../../../src/diagnostics/report";
import { ConfigError } from "../../../../src/errors";
import { VERSION } from "../../../../src/version";
import { type AccountNode, knownAccount } from "../service/account";
import { failuresIn, instanceOf, notesOf } from "../lifecycle/node-notes";

/** Of an account, or of a node with its account. Throws ConfigError if there is no such one in the deployed flows. */
export async function reportOf(RED: NodeAPI, kind: "accounts" | "nodes", id: string): Promise<string> {
  if (kind === "accounts") {
    const account = knownAccount(RED, id);
    if (!account) throw new ConfigError("accountNotDeployed");
    return reportOn(RED, undefined, account);
  }
  // For an id such as `constructor`, Node-RED finds something that is no node.
  const node = (RED.nodes.getNode(id) as Node | null) ?? instanceOf(id);
  const settings = node && notesOf(node).settings;
  if (!settings) throw new ConfigError("nodeNotDeployed");
  const { account: accountId } = settings.stored;
  const account = typeof accountId === "string" ? knownAccount(RED, accountId) : undefined;
  return reportOn(RED, node, account);
}

async function reportOn(RED: NodeAPI, node?: Node, account?: AccountNode): Promise<string> {
  const { version = "unknown" } = RED.settings as { version?: string };
  const parts = {
    at: systemClock.now(),
    versions: {
      package: VERSION,
      "Node-RED": version,
      "Node.js": process.version,
      platform: `${platform()} ${arch()}`,
    },
    node: node && nodePart(node),
    account: account && (await accountPart(account)),
  };
  return report(parts);
}

function nodePart(node: Node): NodePart {
  const { settings, runs, series, statistics, nextRun } = notesOf(node);
  const next = Number.isFinite(nextRun()) ? nextRun() : undefined;
  return {
    id: node.id,
    type: node.type,
    settings: settings ? settingTexts(settings.table, settings.stored) : {},
    runs,
    series: series(),
    statistics: statistics(),
    nextRun: next,
  };
}

async function accountPart(account: AccountNode): Promise<AccountPart> {
  const { table = {}, stored = {} } = notesOf(account).settings ?? {};
  const { credentials } = account as { credentials?: object };
  const settings = settingTexts(table, { ...stored, ...credentials });
  const { id } = account;
  try {
    // Sends nothing.
    const service = await account.service();
    return { id, settings, client: service.diagnostics() };
  } catch (error) {
    const [problem] = failuresIn(error, undefined, systemClock.now());
    return { id, settings, problem };
  }
}
