// Tests for the dialogs in the newest editor as people see them, at the same time as its other tests.
import { needed, nodeRed5 } from "../support/requirements";
import { NODE_RED_5 } from "../support/runtime";
import { describeEditorPictures } from "../support/suites/editor-suite";

describe("the newest editor", () => {
  before(function () {
    needed(nodeRed5, this);
  });
  describeEditorPictures(NODE_RED_5);
});
