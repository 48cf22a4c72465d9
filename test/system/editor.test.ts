// Tests for the editor in a real browser.
import { NODE_RED } from "../support/runtime";
import { describeEditor, describeEditorPictures } from "../support/suites/editor-suite";

describeEditor(NODE_RED);
// The widths of texts are those of the fonts, whatever the version.
describeEditorPictures(NODE_RED, ["en-US"]);
