// Tests for the names of sites in the labels on the canvas.
import assert from "node:assert/strict";
import sinon from "sinon";
import { siteOf } from "../../nodes/shared/editor/canvas";
import { installEditor } from "../support/editor-global";

const ACCOUNT = { type: "energy-account", name: "" };
const SITE = { siteId: "s1", siteIdType: "str" };

describe("the site in a label", () => {
  afterEach(() => sinon.restore());

  for (const [what, id, z, expected] of [
    ["global", "everywhere", undefined, "Alm"],
    ["of a flow", "of-tab", "tab", "Alm"],
    ["of a subflow, which the runtime knows by other ids", "of-subflow", "subflow", "s1"],
  ] as const)
    it(`is "${expected}" for an account that is ${what}`, async () => {
      const clock = sinon.useFakeTimers();
      const node = { ...SITE, account: id } as unknown as EditorNode;
      const sites = [{ siteId: "s1", name: "Alm" }];
      const configNodes = [{ ...ACCOUNT, id, ...(z && { z }) }];
      const restore = installEditor({
        configNodes,
        nodes: [node],
        subflows: ["subflow"],
        answer: () => ({ sites }),
      });
      try {
        assert.equal(siteOf(node), "s1");
        await clock.tickAsync(200);
        assert.equal(siteOf(node), expected);
      } finally {
        restore();
      }
    });

  it("is requested for ids alone, whatever characters they have", async () => {
    const clock = sinon.useFakeTimers();
    const account = "of-many";
    const ids = ["a,b", "c d"];
    const others = [{}, { siteId: "*" }, { siteId: "payload.site", siteIdType: "msg" }];
    const reading: Partial<EditorNode>[] = [...ids.map((siteId) => ({ siteId })), ...others];
    const nodes = reading.map((node) => ({ ...node, account }));
    const answer = sinon.spy(() => ({ sites: [{ siteId: "a,b", name: "Alm" }] }));
    const restore = installEditor({ configNodes: [{ ...ACCOUNT, id: account }], nodes, answer });
    try {
      siteOf(nodes[0] as EditorNode);
      await clock.tickAsync(200);
      assert.deepEqual(answer.args, [[{ ids: "a,b\nc d" }]]);
      assert.equal(siteOf(nodes[0] as EditorNode), "Alm");
    } finally {
      restore();
    }
  });
});
