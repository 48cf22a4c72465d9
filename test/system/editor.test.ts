// Tests for the editor in a real browser.
import { NODE_RED } from "../support/runtime";
import { describeEditor } from "../support/suites/editor-suite";

describeEditor(NODE_RED);
