// Builds the report of a node or an account from what they know about themselves. Loaded when it is requested.
import { arch, platform } from "node:os";
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { settingTexts } from "../../../../src/diagnostics/privacy";
import { type AccountPart, type NodePart, report } from "../../../../src/diagnostics/report";
import { ConfigError } from "../../../../src/errors";
import { VERSION } from "../../../../src/version";
import { type AccountNode, knownAccount } from "../service/service-node";
import { type DescribedSettings, failuresIn, instanceOf, notesOf } from "../lifecycle/node-notes";

/** Of an account, or of a node with its account. Throws ConfigError if there is no such one in the deployed flows. */
export async function reportOf(RED: NodeAPI, kind: "accounts" | "nodes", id: string): Promise<string> {
  // For an id such as `constructor`, Node-RED finds something that is no node.
  const found = kind === "nodes" ? ((RED.nodes.getNode(id) as Node | null) ?? instanceOf(id)) : undefined;
  const settings = found && notesOf(found).settings;
  if (kind === "nodes" && !settings) throw new ConfigError("nodeNotDeployed");
  const accountId = settings ? settings.stored["account"] : id;
  const account = typeof accountId === "string" ? knownAccount(RED, accountId) : undefined;
  if (kind === "accounts" && !account) throw new ConfigError("accountNotDeployed");
  const { version = "unknown" } = RED.settings as { version?: string };
  return report({
    at: systemClock.now(),
    versions: {
      package: VERSION,
      "Node-RED": version,
      "Node.js": process.version,
      platform: `${platform()} ${arch()}`,
    },
    node: settings && nodePart(found, settings),
    account: account && (await accountPart(account)),
  });
}

function nodePart(node: Node, { table, stored }: DescribedSettings): NodePart {
  const { runs, series, statistics, nextRun } = notesOf(node);
  return {
    id: node.id,
    type: node.type,
    settings: settingTexts(table, stored),
    runs,
    series: series(),
    statistics: statistics(),
    nextRun: nextRun(),
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
