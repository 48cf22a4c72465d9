// Tests for the editor in a real browser, on each Node-RED version that the package is tested on.
import { needed, nodeRed5 } from "../support/requirements";
import { NODE_RED, NODE_RED_5 } from "../support/runtime";
import { describeEditor } from "../support/suites/editor-suite";

describeEditor(NODE_RED);

describe("the newest editor", () => {
  before(function () {
    needed(nodeRed5, this);
  });
  describeEditor(NODE_RED_5);
});
