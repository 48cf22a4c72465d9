// Tests for the newest editor in a real browser.
import { needed, nodeRed5 } from "../support/requirements";
import { NODE_RED_5 } from "../support/runtime";
import { describeEditor } from "../support/suites/editor-suite";

describe("the newest editor", () => {
  before(function () {
    needed(nodeRed5, this);
  });
  describeEditor(NODE_RED_5);
});
