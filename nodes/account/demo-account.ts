// An account in demo mode: the simulated service runs in this process, and needs no settings.
import type { AccountTarget } from "./account-session";
import { type AccountDef, demoSettings } from "./account-settings";
import type { Node, NodeAPI } from "node-red";

/** Starts the simulated service. Throws ConfigError. */
export async function demoTarget(RED: NodeAPI, node: Node, config: AccountDef): Promise<AccountTarget> {
  // Loaded only in demo mode.
  const {
    DEMO_CREDENTIALS,
    startDemoService,
  }: typeof import("../../src/demo/server") = require("../../src/demo/server");
  const demo = await startDemoService();
  try {
    const settings = demoSettings(RED, node, config, { baseUrl: demo.baseUrl, ...DEMO_CREDENTIALS });
    return { settings, close: () => demo.close() };
  } catch (error) {
    await demo.close();
    throw error;
  }
}
