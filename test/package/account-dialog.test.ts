// Tests for the dialog of the account: with the secret, it stores for which origin the secret was entered.
import assert from "node:assert/strict";
import { STORED_SECRET } from "../../src/choices/choices";
import { definitionOf, type EditorSet, loadSet, nodeOf, validationResult } from "./editor-set";

describe("dialog of the account", () => {
  let node: Record<string, unknown>;

  /** The editor files with an open dialog that shows these values. */
  function open(values: Record<string, string>): EditorSet {
    const fieldNames = (selector: string): string => selector.replace("#node-config-input-", "");
    return loadSet("account", (selector) => ({
      is: () => false,
      val: () => values[fieldNames(selector)] ?? "",
      closest: () => ({ data: () => node }),
    }));
  }

  /** The credential after the dialog has been saved. */
  function saved(values: Record<string, string>, credentials: object = {}): string | undefined {
    const set = open(values);
    node = { ...nodeOf(set, values), credentials };
    definitionOf(set).oneditsave?.call(node);
    return (node["credentials"] as { origin?: string }).origin;
  }

  const HOME = "https://Service.example:443/api ";

  it("stores the origin of the base URL when a secret is entered, beside the other credentials", () => {
    const credentials = { clientId: "me", has_clientSecret: true, origin: "https://old.example" };
    assert.equal(saved({ baseUrl: HOME, clientSecret: "new" }, credentials), "https://service.example");
    assert.equal((node["credentials"] as { clientId: string }).clientId, "me");
  });

  it("stores the base URL itself if it has a variable", () => {
    for (const baseUrl of ["${HOST}", "https://${HOST}/api", "https://host:${PORT}", ""])
      assert.equal(saved({ baseUrl, clientSecret: "new" }), baseUrl);
  });

  it("stores nothing new if the secret is not entered", () => {
    for (const clientSecret of [STORED_SECRET, ""])
      assert.equal(saved({ baseUrl: HOME, clientSecret }, { origin: "as before" }), "as before");
  });

  it("says that the credentials belong to another origin, until the secret is entered", () => {
    const result = (baseUrl: string, clientSecret: string, origin?: string): true | string => {
      const set = open({ baseUrl, clientSecret, service: "live" });
      node = nodeOf(set, { service: "live", baseUrl, credentials: { origin } });
      return definitionOf(set).defaults["baseUrl"]?.validate?.call(node, baseUrl, {}) ?? "no validator";
    };
    const entered = "https://service.example";
    assert.match(String(result("https://other.example", STORED_SECRET, entered)), /credentialsOrigin$/);
    assert.match(
      String(result("https://service.example:8443", STORED_SECRET, entered)),
      /credentialsOrigin$/,
    );
    assert.equal(result("https://other.example", "new", entered), true);
    assert.equal(result("https://service.example/other", STORED_SECRET, entered), true);
    assert.equal(result("${HOST}", STORED_SECRET, entered), true);
    assert.equal(result("https://other.example", STORED_SECRET, "${HOST}"), true);
    assert.equal(result("https://other.example", STORED_SECRET), true);
  });

  it("judges only the open dialog, because the editor knows the credentials of no other node", () => {
    assert.equal(validationResult(loadSet("account"), "baseUrl", "https://other.example"), true);
  });
});
