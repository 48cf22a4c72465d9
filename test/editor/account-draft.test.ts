// Tests for the account of a dialog: which one a new node takes, and what the pickers send of one that is not deployed.
import assert from "node:assert/strict";
import { isNeverSaved, markSaved, takeAccount } from "../../nodes/shared/editor/new-nodes";
import { AccountLists, accountSource } from "../../nodes/shared/editor/pickers/account-lists";
import { SiteChoices } from "../../src/choices/site-choices";
import { type EditorState, installEditor } from "../support/editor-global";

const _def = { category: "config", defaults: { name: { value: "" }, baseUrl: { value: "" } } };
const ACCOUNT = { id: "a1", type: "energy-account", name: "", baseUrl: "https://one.example", _def };
const OTHER = { ...ACCOUNT, id: "a2" };

describe("the account of a dialog", () => {
  let restore = (): void => undefined;
  const editor = (state: EditorState): void => {
    restore();
    restore = installEditor(state);
  };
  afterEach(() => {
    restore();
    restore = () => undefined;
  });

  /** A node as the editor creates it from the palette, or, if marked as changed, as it is pasted. */
  function added(id: string, properties: Record<string, unknown> = {}): EditorNode {
    const shared = { type: "energy-site-list", name: "", z: "flow", _def, _: (key: string) => key };
    const node: EditorNode = { ...shared, id, account: "", ...properties };
    takeAccount(node);
    return node;
  }

  it("is the only one, for a node from the palette", () => {
    editor({ configNodes: [ACCOUNT, { id: "t", type: "tls-config" }] });
    assert.equal(added("n1")["account"], "a1");
  });

  it("is the one used last if there are several", () => {
    const local = {};
    editor({ configNodes: [ACCOUNT, OTHER], local });
    const first = added("n1");
    assert.equal(first["account"], "");
    markSaved(first, "a2");
    assert.equal(added("n2")["account"], "a2");
    editor({ configNodes: [ACCOUNT, { ...OTHER, id: "a3" }], local });
    assert.equal(added("n3")["account"], "", "the account used last no longer exists");
  });

  it("is not taken from another flow or subflow", () => {
    editor({ configNodes: [{ ...ACCOUNT, z: "elsewhere" }] });
    assert.equal(added("n1")["account"], "");
    assert.equal(added("n2", { z: "elsewhere" })["account"], "a1");
  });

  it("stays as it is in a node that is pasted or imported", () => {
    editor({ configNodes: [ACCOUNT] });
    const pasted = added("n8", { changed: true });
    assert.equal(pasted["account"], "");
    assert.ok(!isNeverSaved(pasted));
  });

  it("is taken for granted once the dialog was saved", () => {
    editor({ configNodes: [ACCOUNT] });
    const node = added("n9");
    // The editor hands out its nodes wrapped, so they are not the same object later.
    assert.ok(isNeverSaved({ ...node }));
    markSaved({ ...node }, "a1");
    assert.ok(!isNeverSaved(node));
  });

  it("is requested by its id once it is deployed", () => {
    editor({ configNodes: [ACCOUNT] });
    assert.deepEqual(accountSource("a1"), {});
  });

  it("is sent as it was typed while it is new or changed, without what the editor adds", () => {
    const credentials = {
      clientId: "client",
      clientSecret: "typed",
      has_clientSecret: true,
      _: {},
      origin: "o",
    };
    editor({ configNodes: [{ ...ACCOUNT, z: "flow", changed: true, credentials }] });
    assert.deepEqual(accountSource("a1"), {
      draft: {
        z: "flow",
        name: "",
        baseUrl: "https://one.example",
        credentials: { clientId: "client", clientSecret: "typed" },
      },
    });
  });

  it("is sent with a placeholder for a secret that is stored, and without credentials that the editor never read", () => {
    const credentials = { clientId: "client", has_clientSecret: true };
    editor({
      configNodes: [
        { ...ACCOUNT, changed: true, credentials },
        { ...OTHER, changed: true },
      ],
    });
    assert.deepEqual(accountSource("a1")?.draft?.credentials, {
      clientId: "client",
      clientSecret: "__PWRD__",
    });
    assert.ok(accountSource("a2")?.draft);
    assert.ok(!("credentials" in (accountSource("a2")?.draft ?? {})));
  });

  it("has no lists if it is missing or belongs to a subflow", () => {
    const inSubflow = { ...ACCOUNT, z: "sub" };
    editor({
      configNodes: [inSubflow, { ...OTHER, z: "flow" }, { id: "t", type: "tls-config" }],
      subflows: ["sub"],
    });
    for (const id of ["", "_ADD_", "a1", "t", "${ACCOUNT}"]) assert.equal(accountSource(id), undefined);
    assert.deepEqual(accountSource("a2"), {});
  });

  it("has sites that are found by the same words in the browser as on the server", async () => {
    const siteAddress = { city: "Zürich", country: "Switzerland" };
    const choices = new SiteChoices([{ siteId: "s1", siteName: "Alm", siteAddress }, { siteId: "s2" }]);
    const sites = choices.search("").found.map(({ choice }) => choice);
    editor({ configNodes: [ACCOUNT], answer: () => ({ sites, total: 2, all: 2 }) });
    for (const typed of ["switzerland alm", "ZURICH"]) {
      const found = await new AccountLists(() => "a1").sites(typed);
      assert.deepEqual([found.total, found.sites[0]?.siteId], [1, "s1"], typed);
    }
  });

  it("has each of many sites by its id, however many others are found by the same words", async () => {
    const sites = Array.from({ length: 120 }, (_none, index) => ({ siteId: `site-${index}` }));
    const choices = new SiteChoices([...sites, { siteId: "site", siteName: "Zoo" }]);
    const answer = ({ search = "", ids }: Readonly<Record<string, string>>): object => {
      const { found, total } = choices.search(search);
      const named = ids === undefined ? found.map(({ choice }) => choice) : choices.withIds([ids]);
      return { sites: named, total, all: choices.count };
    };
    editor({ configNodes: [ACCOUNT], answer });
    const lists = new AccountLists(() => "a1");
    for (const siteId of ["site-7", "site-119", "site"])
      assert.equal((await lists.site(siteId))?.siteId, siteId);
    assert.equal(await lists.site("none"), undefined);
  });
});
