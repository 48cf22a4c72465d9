// The utilities of the installed Node-RED, for tests that need no running instance.
import { createRequire } from "node:module";
import type { NodeAPI } from "node-red";

const util = createRequire(require.resolve("node-red"))("@node-red/util") as { util: NodeAPI["util"] };

export const nodeRedUtil = util.util;
