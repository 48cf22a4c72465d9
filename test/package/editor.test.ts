// Tests for the shipped editor files of every node: properties, forms, icons.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FLOW_NODES } from "../support/flow-nodes";
import { definitionOf, DIST, type EditorSet, loadSet, nodeOf } from "./editor-set";

function fieldsOf({ form }: EditorSet): string[] {
  const fields = [...form.matchAll(/\sid="node-(?:config-)?input-(\w+)"/g)].map((match) => String(match[1]));
  // Check boxes represent an array of names.
  return form.includes('id="energy-severities"') ? [...fields, "severities"] : fields;
}

/** Copies values from the script's own realm, so that they can be compared. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

for (const [name, expected] of Object.entries(FLOW_NODES)) {
  describe(`editor of ${name}`, () => {
    const set = loadSet(name);
    const definition = definitionOf(set);
    const isConfig = name === "account";

    it("registers exactly one type", () => {
      assert.deepEqual(
        set.registered.map(([type]) => type),
        [`energy-${name}`],
      );
      assert.equal(definition.category, isConfig ? "config" : "energy sites");
    });

    it("has the properties and default values that flows depend on", () => {
      const values = Object.entries(definition.defaults).map(([property, { value }]) => [property, value]);
      assert.deepEqual(plain(Object.fromEntries(values)), expected.defaults);
    });

    it("has a form field for every property, and no others", () => {
      const { origin: _origin, ...entered } = definition.credentials ?? {};
      const properties = [...Object.keys(definition.defaults), ...Object.keys(entered)];
      assert.deepEqual(fieldsOf(set).toSorted(), properties.toSorted());
    });

    it("labels every field", () => {
      // The second field of a row has its label for screen readers only.
      const labels =
        /<label\s+for="node-(?:config-)?input-(\w+)"|id="node-input-(\w+)"[^>]*data-i18n="\[aria-label\]label\.\2"/g;
      const labeled = [...set.form.matchAll(labels)].map(([, own, spoken]) => own ?? spoken);
      // A hidden field stores what another control chooses.
      const hidden = [...set.form.matchAll(/type="hidden"\s+id="node-(?:config-)?input-(\w+)"/g)].map(
        (match) => match[1],
      );
      const visible = fieldsOf(set).filter((field) => !hidden.includes(field) && field !== "severities");
      assert.deepEqual(
        visible.filter((field) => !labeled.includes(field)),
        [],
      );
    });

    it("has row conditions that refer only to existing fields and options", () => {
      for (const [, property = "", values = ""] of set.form.matchAll(/data-show-when="(\w+)!?=([^"]+)"/g)) {
        assert.ok(fieldsOf(set).includes(property), property);
        const isBox = new RegExp(`type="checkbox"\\s+id="node-input-${property}"`).test(set.form);
        for (const value of isBox ? [] : values.split(","))
          assert.ok(set.form.includes(`value="${value}"`), value);
      }
    });

    it("uses theme colors and loads no other script", () => {
      assert.doesNotMatch(set.form, /#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/i);
      assert.doesNotMatch(set.html, /<script[^>]*\ssrc=/);
      assert.doesNotMatch(set.html, /<!-- \w+: [\w-]+ -->/);
    });

    it("is labeled with its name, or with its short name", () => {
      const unnamed = isConfig ? { service: "demo" } : {};
      assert.equal(definition.label.call(nodeOf(set, { name: "Roof" })), "Roof");
      assert.equal(definition.label.call(nodeOf(set, unnamed)), isConfig ? "demo" : "label.palette");
      assert.equal(definition.labelStyle.call(nodeOf(set, { name: "Roof" })), "node_label_italic");
      assert.equal(definition.labelStyle.call(nodeOf(set, {})), "");
    });

    if (isConfig) {
      it("stores the secret where the editor cannot read it", () => {
        const types = Object.entries(definition.credentials ?? {}).map(([key, { type }]) => [key, type]);
        assert.deepEqual(types, [
          ["clientId", "text"],
          ["clientSecret", "password"],
          ["origin", "text"],
        ]);
      });

      it("refers to Node-RED's own TLS and proxy nodes, both optional", () => {
        assert.deepEqual(plain(definition.defaults["tls"]), {
          value: "",
          type: "tls-config",
          required: false,
        });
        assert.deepEqual(plain(definition.defaults["proxy"]), {
          value: "",
          type: "http proxy",
          required: false,
        });
      });

      it("is labeled with its host if it has no name", () => {
        const label = (baseUrl: string): string =>
          definition.label.call(nodeOf(set, { service: "live", baseUrl }));
        assert.equal(label("https://service.example:8443/api"), "service.example:8443");
        assert.equal(label("${BASE_URL}"), "${BASE_URL}");
        assert.equal(label(""), "label.palette");
      });
    } else {
      it("has the right inputs and outputs, each output with a label", () => {
        assert.equal(definition.inputs, 1);
        assert.equal(definition.outputs, expected.outputs);
        const labels = Array.from({ length: expected.outputs ?? 0 }, (_none, index) =>
          definition.outputLabels?.call(nodeOf(set, {}), index),
        );
        assert.ok(labels.every((label) => label?.startsWith("output.")));
        assert.equal(new Set(labels).size, expected.outputs);
      });

      if ("account" in expected.defaults) {
        it("leaves it to the editor to require an account that exists and is complete", () => {
          const { type, label, required, validate } = definition.defaults["account"] ?? {};
          assert.deepEqual([type, required, validate], ["energy-account", undefined, undefined]);
          assert.match(String(label), /label\.account$/);
        });
      }

      it("has a white icon that ships with the package", () => {
        const svg = readFileSync(join(DIST, "account", "icons", definition.icon), "utf8");
        assert.match(svg, /viewBox="0 0 40 60"/);
        const colors = [...svg.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map((match) => String(match[1]));
        assert.deepEqual(
          [...new Set(colors)].filter((color) => color !== "none"),
          ["#fff"],
        );
      });
    }
  });
}

it("is labeled with a setting if it has no name", () => {
  const label = (name: string, properties: Record<string, unknown>): string => {
    const set = loadSet(name);
    return definitionOf(set).label.call(nodeOf(set, properties));
  };
  assert.equal(label("threshold", { low: 20, high: "60" }), "20 … 60");
  assert.equal(label("threshold", { low: 0, high: 5 }), "0 … 5");
  assert.equal(label("threshold", { low: "", high: 60 }), "label.palette");
  assert.match(label("points", { target: "chart" }), /title\.node$/);
  const orphan = { account: "gone", siteId: "demo-house", siteIdType: "str", path: "storage.stateOfCharge" };
  assert.match(label("latest-value", orphan), /title\.node$/);
  const long = "x".repeat(10_000);
  assert.ok(label("threshold", { low: long, high: long }).length < 60);
  assert.equal(label("points", { target: long }), "label.palette");
  for (const name of ["history", "latest-value"]) {
    const set = loadSet(name, undefined, (key, values = {}) => [key, ...Object.values(values)].join(" "));
    const node = nodeOf(set, { account: "complete", range: "fromTo", from: long, to: long, path: long });
    assert.ok(definitionOf(set).label.call(node).length < 200, name);
  }
});

it("gives each palette node its own icon, and one color each to those that read and those that shape", () => {
  const definitions = Object.keys(FLOW_NODES)
    .filter((name) => name !== "account")
    .map((name) => definitionOf(loadSet(name)));
  assert.equal(new Set(definitions.map(({ icon }) => icon)).size, definitions.length);
  const colors = (hasButton: boolean): Set<string | undefined> =>
    new Set(definitions.filter(({ button }) => Boolean(button) === hasButton).map(({ color }) => color));
  assert.deepEqual([...colors(true), ...colors(false)], ["#6DBB96", "#A9C46C"]);
});
