// Reads the example flows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./package";
import type { FlowNode } from "./runtime";

const FOLDER = join(ROOT, "examples");

export const exampleNames = readdirSync(FOLDER).toSorted();

/** The tab's variables that name a site. */
const SITE_VARIABLES = ["SITE", "METER_SITE"];

export function readExample(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as FlowNode[];
}

/** The palette nodes of this package in a flow, without the account. */
export function paletteNodes(flow: FlowNode[]): FlowNode[] {
  return flow.filter(({ type }) => type.startsWith("energy-") && type !== "energy-account");
}

interface Variable {
  name: string;
  value: string;
}

/** What a user changes to read another account: the account node, and the sites in the variables of the tab. */
export function ofAccount(
  flow: FlowNode[],
  id: string,
  { baseUrl, clientId, clientSecret }: { baseUrl: string; clientId: string; clientSecret: string },
  siteOf: (value: string) => string = (value) => value,
): FlowNode[] {
  return flow.map((node) => {
    if (node.type === "energy-account")
      return { ...node, id, service: "live", baseUrl, credentials: { clientId, clientSecret } };
    if ("account" in node) return { ...node, account: id };
    if (node.type !== "tab") return node;
    const env = (node["env"] as Variable[]).map((variable) =>
      SITE_VARIABLES.includes(variable.name) ? { ...variable, value: siteOf(variable.value) } : variable,
    );
    return { ...node, env };
  });
}
