// Tests that a dialog keeps what it cannot understand or look up: values of a later version, while the service is down.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { EditorBrowser } from "../../../tools/editor-browser.mjs";
import { discardOpenDialog, openAccount, openNode, saveDialog } from "../editor-page";
import { FLOW_NODES } from "../flow-nodes";
import type { FlowNode } from "../runtime";

const TAB = "unknown-tab";
const ACCOUNT = "unknown-account";
/** Milliseconds. */
const GIVEN_UP = 90_000;

/** The values that are not default values. The account is on a port where nothing listens. */
const SETTINGS: Record<string, Record<string, unknown>> = {
  account: {
    service: "live",
    baseUrl: "https://127.0.0.1:1",
    apiVersion: "2031-01-01.later",
    credentials: { clientId: "client", clientSecret: "secret" },
  },
  "site-list": { output: "later" },
  "site-info": { siteId: "later-site" },
  "telemetry-poll": {
    siteId: "later-site",
    systemId: "later-system",
    output: "later",
    startFrom: "later",
    store: "later",
    delivery: "later",
  },
  "latest-value": { siteId: "later-site", systemId: "later-system", path: "later.value" },
  "rgm-read": { siteId: "later-site", mode: "later" },
  history: { siteId: "later-site", source: "later", range: "later", output: "later" },
  alerts: { scope: "later", output: "later", firstRun: "later", severities: ["LATER"] },
  threshold: { high: 60, low: 20, propertyType: "later" },
  points: { target: "later" },
  mqtt: { layout: "later", qos: 7, language: "later" },
};

/** Its nodes do not run. */
export const UNKNOWN_FLOW: FlowNode[] = [
  { id: TAB, type: "tab", label: "unknown values", disabled: true },
  ...Object.entries(SETTINGS).map(([name, settings], index) => {
    const { account, ...defaults } = FLOW_NODES[name]?.defaults ?? {};
    const isAccount = name === "account";
    return {
      id: isAccount ? ACCOUNT : `unknown-${name}`,
      type: `energy-${name}`,
      ...(isAccount ? {} : { z: TAB, x: 200, y: 60 + index * 60, wires: [] }),
      ...(account === undefined ? {} : { account: ACCOUNT }),
      ...defaults,
      ...settings,
    };
  }),
];

/** The flow must be deployed. Leaves the editor. */
export function describeUnknownValues(editor: () => EditorBrowser): void {
  describe("the dialogs, with values of a later version and a service that is down,", () => {
    const page = (): Page => editor().page;

    afterEach(async () => {
      await discardOpenDialog(page());
      forgetFailures();
    });
    after(async () => {
      // Ends the questions that the account has not given up yet.
      await page().goto("about:blank");
      forgetFailures();
    });

    /** The browser logs each answer of Node-RED that the service is down. */
    function forgetFailures(): void {
      const unexpected = editor().errors.filter((error) => !/status of 502/.test(error));
      editor().errors.splice(0, Infinity, ...unexpected);
    }

    function stored(id: string): Promise<Record<string, unknown>> {
      return page().evaluate(`RED.nodes.convertNode(RED.nodes.node("${id}"))`);
    }

    async function isUnchanged(id: string, before: Record<string, unknown>): Promise<void> {
      assert.deepEqual(await stored(id), before);
      assert.equal(await page().evaluate("RED.nodes.dirty()"), false);
    }

    it("keep the API version of an account", async () => {
      const before = await stored(ACCOUNT);
      await openAccount(page(), ACCOUNT);
      await saveDialog(page());
      await isUnchanged(ACCOUNT, before);
    });

    for (const [name, settings] of Object.entries(SETTINGS).filter(([set]) => set !== "account")) {
      it(`keep the values of ${name}`, async () => {
        const id = `unknown-${name}`;
        const before = await stored(id);
        await openNode(page(), id);
        if (settings["path"]) {
          // The account tries again for some seconds before it gives up, about as long as a dialog waits.
          const reason = page().locator(".energy-picked", { hasText: /127\.0\.0\.1|14 s/ });
          await reason.waitFor({ timeout: GIVEN_UP });
        }
        await saveDialog(page());
        await isUnchanged(id, before);
      });
    }
  });
}
