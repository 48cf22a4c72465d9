// Builds the report of a node or an account from what they know about themselves. Loaded when it is requested.
import { randomBytes } from "node:crypto";
import { arch, platform } from "node:os";
import type { Node, NodeAPI } from "node-red";
import { systemClock } from "../../../../src/clock";
import { type Hash, hashWith, settingLines } from "../../../../src/diagnostics/privacy";
import type { AccountPart, Line, NodePart } from "../../../../src/diagnostics/parts";
import { report } from "../../../../src/diagnostics/report";
import { ConfigError } from "../../../../src/errors";
import { StoredState } from "../../../../src/stored-state";
import { VERSION } from "../../../../src/version";
import { type AccountNode, knownAccount } from "../service/account";
import { failuresIn, instanceOf, notesOf } from "../lifecycle/node-notes";
import { fileStorage } from "../state/storage";

/** Of an account, or of a node with its account. Throws ConfigError if there is no such one in the deployed flows. */
export async function reportOf(RED: NodeAPI, kind: "accounts" | "nodes", id: string): Promise<string> {
  if (kind === "accounts") {
    const account = knownAccount(RED, id);
    if (!account) throw new ConfigError("accountNotDeployed");
    return reportOn(RED, await reportHash(RED, account), undefined, account);
  }
  // For an id such as `constructor`, Node-RED finds something that is no node.
  const node = (RED.nodes.getNode(id) as Node | null) ?? instanceOf(id);
  const settings = node && notesOf(node).settings;
  if (!settings) throw new ConfigError("nodeNotDeployed");
  const { account: accountId } = settings.stored;
  const account = typeof accountId === "string" ? knownAccount(RED, accountId) : undefined;
  return reportOn(RED, await reportHash(RED, node), node, account);
}

async function reportOn(RED: NodeAPI, hash: Hash, node?: Node, account?: AccountNode): Promise<string> {
  const { version = "unknown" } = RED.settings as { version?: string };
  const parts = {
    at: systemClock.now(),
    versions: [
      ["package", VERSION],
      ["Node-RED", version],
      ["Node.js", process.version],
      ["platform", `${platform()} ${arch()}`],
    ] as const,
    node: node && nodePart(node, hash),
    account: account && (await accountPart(account, hash)),
  };
  return report(parts, hash);
}

function nodePart(node: Node, hash: Hash): NodePart {
  const { settings, runs, series, statistics, failing, newest, nextRun } = notesOf(node);
  const interval = (settings?.values?.repeat ?? 0) * 60_000;
  const next = Number.isFinite(nextRun()) ? nextRun() : undefined;
  return {
    id: node.id,
    type: node.type,
    settings: settings ? settingLines(settings.table, settings.stored, hash) : [],
    runs,
    series: series(),
    statistics: statistics(),
    failing: failing.flatMap((failingParts) => failingParts(next, interval)),
    newest,
    nextRun: next,
  };
}

async function accountPart(account: AccountNode, hash: Hash): Promise<AccountPart> {
  const { table = {}, stored = {} } = notesOf(account).settings ?? {};
  const { credentials } = account as { credentials?: object };
  const lines = settingLines(table, { ...stored, ...credentials }, hash);
  const settings = account.isDemo ? lines : [...lines, ...environmentLines()];
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

/** What Node.js and the client read from the environment; the values may hold host names and passwords. */
function environmentLines(): Line[] {
  const isSet = (name: string): boolean =>
    [name, name.toLowerCase()].some((each) => Boolean(process.env[each]));
  const names = [
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
  ];
  return [["environment variables", names.filter(isSet).join(", ") || "none about proxies or TLS"]];
}

/** By user directory; "" if there is none. */
const keys = new Map<string, Promise<string>>();

/** Falls back to a key that lasts as long as this process. */
async function reportHash(RED: NodeAPI, node: Node): Promise<Hash> {
  const { userDir = "" } = RED.settings;
  const key = keys.get(userDir) ?? (userDir === "" ? Promise.resolve(newKey()) : storedKey(RED, node));
  keys.set(userDir, key);
  return hashWith(await key);
}

async function storedKey(RED: NodeAPI, node: Node): Promise<string> {
  const storage = fileStorage(RED, node, "");
  const state = new StoredState(storage({ purpose: "hashes of diagnostics" }, { read: readKey }));
  const key = newKey();
  try {
    if ((await state.load()) === undefined) await state.set(key);
    return state.current ?? key;
  } catch {
    return key;
  }
}

function newKey(): string {
  return randomBytes(32).toString("hex");
}

function readKey(stored: unknown): string | undefined {
  return typeof stored === "string" && /^[0-9a-f]{64}$/.test(stored) ? stored : undefined;
}
