// Tests what Node-RED serves once the package is installed: nodes, icons, texts, help, examples; shared by all versions.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../package/editor-set";
import { eventually } from "../eventually";
import { manifest, MODULE, ROOT, setNames } from "../package";
import type { FlowNode, Runtime } from "../runtime";
import { LANGUAGE } from "./node-red-suite";

interface NodeSet {
  module: string;
  name: string;
  types: string[];
  enabled: boolean;
  version: string;
  err?: string;
}

type Texts = { [key: string]: string | Texts };

const EXAMPLES = join(ROOT, "examples");
/** What the editor requests, by its own list of languages or the browser's, and the folder that serves it. */
const LANGUAGES = [
  ["en-US", "en-US"],
  ["de", "de"],
  ["de-AT", "de"],
  ["fr", "fr"],
  ["fr-CA", "fr"],
  ["es", "es"],
  ["es-ES", "es"],
  ["es-MX", "es"],
  ["ja", "ja"],
  ["ja-JP", "ja"],
  ["zh-CN", "zh-CN"],
] as const;

/** Keeps the text of the error of a node that has no account. */
const FAILING_FLOW: FlowNode[] = [
  { id: "tab", type: "tab", label: "error" },
  { id: "start", z: "tab", type: "inject", props: [], once: true, onceDelay: 0.1, wires: [["read"]] },
  { id: "read", z: "tab", type: "energy-site-list", account: "", wires: [[]] },
  { id: "catch", z: "tab", type: "catch", scope: ["read"], wires: [["keep"]] },
  {
    id: "keep",
    z: "tab",
    type: "change",
    rules: [{ t: "set", p: "text", pt: "global", to: "error.message", tot: "msg" }],
    wires: [[]],
  },
];

/** Without what the server adds from the English catalogue, such as a singular that a language does not have. */
function shared(texts: Texts, expected: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => {
      const wanted = expected[key];
      if (wanted === undefined) return [];
      return [[key, typeof text === "object" && typeof wanted === "object" ? shared(text, wanted) : text]];
    }),
  );
}

export function describePackage(running: () => Runtime): void {
  describe("the installed package", () => {
    let runtime: Runtime;

    before(() => {
      runtime = running();
    });

    it("loads every node without an error", async () => {
      const sets = (await runtime.json<NodeSet[]>("/nodes")).filter(({ module }) => module === MODULE);
      const expected = setNames.map((name) => ({
        name,
        types: [`energy-${name}`],
        enabled: true,
        err: undefined,
      }));
      const loaded = sets.map(({ name, types, enabled, err }) => ({ name, types, enabled, err }));
      assert.deepEqual(new Set(loaded), new Set(expected));
      assert.deepEqual(new Set(sets.map((set) => set.version)), new Set([manifest.version]));
    });

    it("serves each icon unchanged", async () => {
      const names = (await runtime.json<Record<string, string[]>>("/icons"))[MODULE] ?? [];
      assert.deepEqual(names.toSorted(), readdirSync(join(ROOT, "icons")).toSorted());
      for (const name of names) {
        // For a missing icon Node-RED serves a default one, so compare the bytes.
        const served = Buffer.from(await (await runtime.get(`/icons/${MODULE}/${name}`)).arrayBuffer());
        assert.deepEqual(served, readFileSync(join(ROOT, "icons", name)), name);
      }
    });

    for (const [language, folder] of LANGUAGES) {
      it(`serves labels and help in ${folder} to an editor in ${language}`, async () => {
        const headers = { Accept: "text/html", "Accept-Language": language };
        const page = await (await runtime.get("/nodes", headers)).text();
        const texts = await runtime.json<Record<string, Texts>>(`/nodes/messages?lng=${language}`);
        for (const name of setNames) {
          const source = (of: string): string => join(ROOT, "dist", "nodes", name, "locales", of, name);
          const expected = JSON.parse(readFileSync(`${source(folder)}.json`, "utf8")) as Texts;
          assert.deepEqual(shared(texts[`${MODULE}/${name}`] ?? {}, expected), expected, name);
          const help = [folder, "en-US"].map((of) => `${source(of)}.html`).find(existsSync) ?? "";
          assert.ok(page.includes(readFileSync(help, "utf8").trim()), `help of ${name}`);
        }
      });
    }

    it("reports errors to a catch node in the language of settings.js", async () => {
      // Node-RED takes a node without a place on the canvas for a config node.
      await runtime.deploy(FAILING_FLOW.map((node) => ({ ...node, x: 0, y: 0 })));
      const text = await eventually(
        () => `no error was caught:\n${runtime.output()}`,
        async () => {
          const { memory } = await runtime.json<{ memory?: { text?: { msg: string } } }>("/context/global");
          return memory?.text?.msg;
        },
      );
      assert.equal(text, catalogue("account", LANGUAGE).get("error.accountMissing"));
    });

    it("offers every example for import", async () => {
      const library = await runtime.json<{ fn: string }[]>(`/library/examples/flows/${MODULE}`);
      const files = readdirSync(EXAMPLES).toSorted();
      assert.deepEqual(library.map(({ fn }) => `${fn}.json`).toSorted(), files);
      for (const file of files) {
        const name = file.replace(/\.json$/, "");
        const flow = await runtime.json<object>(`/library/examples/flows/${MODULE}/${name}`);
        assert.deepEqual(flow, JSON.parse(readFileSync(join(EXAMPLES, file), "utf8")), file);
      }
    });
  });
}
