// The diagnostics report: Markdown for an issue, in English for whoever maintains the package, without ids or secrets.
import { accountSection } from "./account-section";
import { adviceFor } from "./advice";
import type { Hash } from "./hash";
import { list, section, table, wrapped } from "./markdown";
import { nodeSection } from "./node-section";
import type { ReportParts } from "./parts";
import { timeText } from "./time-text";

const NOTE =
  "Contains no credentials. Ids, hosts and names are replaced by hashes such as id-1a2b3c4d; equal hashes mean equal ids.";

/** @param hash replaces ids, hosts and whatever else a user may have written */
export function report(parts: ReportParts, hash: Hash): string {
  const { at, versions, node, account } = parts;
  const rows = [
    ["package", versions.package],
    ["Node-RED", versions.nodeRed],
    ["Node.js", versions.nodeJs],
    ["platform", versions.platform],
  ];
  const lines = [
    `### Diagnostics, ${timeText(at)}`,
    "",
    ...wrapped(NOTE),
    ...section("What to do", list(adviceFor(parts))),
    ...section("Versions", table(["Of", "Version"], rows)),
    ...(node ? nodeSection(node, at, hash) : []),
    ...(account ? accountSection(account, at, hash) : []),
  ];
  return `${lines.join("\n")}\n`;
}
