// Finds out which site and system a run is about: from the node, from the message, or all of them.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { InputError } from "../../../src/errors";
import { kindOf } from "../../../src/models/service-object";
import type { Site } from "../../../src/models/site";
import { siteIdOf, systemIdsOf } from "../../../src/models/site-reader";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { PartialFailure, type Failure } from "./failures";
import { propertyValue } from "./property";
import type { Run } from "./service-node";
import { rejectUndefinedVariable } from "./settings";

export interface SiteDef {
  siteId?: string;
  siteIdType?: string;
}

export interface SystemDef extends SiteDef {
  systemId?: string;
  systemIdType?: string;
}

/** Stands for every site of the account, or every system of a site. */
const ALL = "*";

/** The one site that a node is about. Throws InputError when there is none. */
export async function siteOf(
  RED: NodeAPI,
  node: Node,
  config: SiteDef,
  message: NodeMessage,
): Promise<string> {
  const siteId = await siteText(RED, node, config, message);
  if (siteId === ALL) throw new InputError("oneSite");
  return siteId;
}

/** The one site, or system of it, that a run is about. Throws InputError for none, and for `*`. */
export async function addressOf(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<SeriesAddress> {
  const siteId = await siteOf(RED, node, config, message);
  const systemId = await systemText(RED, node, config, message);
  if (systemId === ALL) throw new InputError("oneSystem");
  return { siteId, systemId };
}

/** The series that a run is about: one, or with `*` one for each site and system. */
export async function addressesOf(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  run: Run,
  pc1 = false,
): Promise<SeriesAddress[]> {
  const options = { signal: run.signal, pc1 };
  const siteId = await siteText(RED, node, config, run.message);
  const systemId = await systemText(RED, node, config, run.message);
  if (siteId !== ALL && systemId !== ALL) return [{ siteId, systemId }];
  const service = await run.service();
  const sites = siteId === ALL ? await service.sites(options) : [await service.site(siteId, options)];
  return sites.flatMap((site) => {
    const id = siteId === ALL ? siteIdOf(site) : siteId;
    const systemIds = systemId === ALL ? everySystemOf(site) : [systemId];
    return systemIds.map((system) => ({ siteId: id, systemId: system }));
  });
}

/** Where no system names itself, its records are those of the site; a site that has no system has none. */
function everySystemOf(site: Site): (string | undefined)[] {
  const ids = systemIdsOf(site);
  const isUnnamed = ids.length === 0 && (!Array.isArray(site.systems) || site.systems.length > 0);
  return isUnnamed ? [undefined] : ids;
}

/** Does the work for every series. Those that fail do not keep the others from being read. */
export async function forEachSeries<T>(
  addresses: SeriesAddress[],
  work: (address: SeriesAddress) => Promise<T>,
): Promise<T[]> {
  const results = await Promise.allSettled(addresses.map(work));
  const failures = results.flatMap((result, index): Failure[] =>
    result.status === "rejected" ? [{ error: result.reason, address: addresses[index] }] : [],
  );
  if (failures.length > 0) {
    throw addresses.length === 1 ? failures[0]?.error : new PartialFailure(failures, addresses.length);
  }
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function siteText(RED: NodeAPI, node: Node, config: SiteDef, message: NodeMessage): Promise<string> {
  const siteId = await idText(RED, node, "siteId", config.siteId, config.siteIdType, message);
  if (siteId === undefined) throw new InputError("siteMissing");
  return siteId;
}

function systemText(
  RED: NodeAPI,
  node: Node,
  config: SystemDef,
  message: NodeMessage,
): Promise<string | undefined> {
  return idText(RED, node, "systemId", config.systemId, config.systemIdType, message);
}

/** The id that a property gives; undefined where it gives none. An empty text means the property of the message. */
async function idText(
  RED: NodeAPI,
  node: Node,
  name: "siteId" | "systemId",
  property: string | undefined,
  type = "str",
  message: NodeMessage,
): Promise<string | undefined> {
  if (property !== undefined && typeof property !== "string") throw noText(name, property);
  const text = property?.trim() ?? "";
  const id = type === "str" ? text || message[name] : await propertyValue(RED, node, text, type, message);
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw noText(name, id);
  rejectUndefinedVariable(id);
  return id.trim() === "" ? undefined : id;
}

function noText(name: string, value: unknown): InputError {
  return new InputError("inputText", { name, kind: kindOf(value) });
}
