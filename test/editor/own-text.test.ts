// Tests for the texts of a node's own catalogue: what others have written is no reference to another text.
import assert from "node:assert/strict";
import { ownText } from "../../nodes/shared/editor/texts";
import { translatorOf } from "../support/catalogue";

describe("a text of a node with values", () => {
  it("takes no time to show the name of a site that begins like a reference to another text", () => {
    const translator = translatorOf("en-US");
    const name = `$t(${"any ".repeat(7)}`;
    const node = {
      _: (key: string, values: object) => translator.t(`@energy-sites/node-red/threshold:${key}`, values),
    } as unknown as EditorNode;
    const text = ownText(node, "preview.switches", { site: name, times: "12:00" });
    assert.ok(text.includes(name.replace("(", " (")), text);
  });
});
