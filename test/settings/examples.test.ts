// Tests the examples against the table of settings.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { readSettings } from "../../nodes/shared/runtime/base/settings";
import type { Settings } from "../../src/settings/table";
import { SETTINGS } from "../support/settings";
import { nodeRedUtil } from "../support/node-red-util";

const EXAMPLES = join(__dirname, "..", "..", "examples");
const RED = { util: nodeRedUtil } as NodeAPI;

interface FlowNode {
  id: string;
  type: string;
}

describe("settings in the examples", () => {
  for (const file of readdirSync(EXAMPLES)) {
    it(`are known and valid in ${file}`, () => {
      const flow = JSON.parse(readFileSync(join(EXAMPLES, file), "utf8")) as FlowNode[];
      const tables: Record<string, Settings> = SETTINGS;
      for (const { id, type, ...stored } of flow) {
        const table = tables[type.replace(/^energy-/, "")];
        if (!type.startsWith("energy-") || !table) continue;
        assert.doesNotThrow(
          () => readSettings(RED, { id } as Node, table, stored).valid(...Object.keys(table)),
          `${type} ${id}`,
        );
        const unknown = Object.keys(stored).filter((key) => !(key in table));
        const ofNodeRed = ["z", "x", "y", "wires", "g", "info", "outputLabels", "inputs", "d"];
        assert.deepEqual(
          unknown.filter((key) => !ofNodeRed.includes(key)),
          [],
          `${type} ${id}`,
        );
      }
    });
  }
});
