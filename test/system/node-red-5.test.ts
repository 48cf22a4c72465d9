// Tests the same tarball in the newest Node-RED on the newest Node.js.
import { needed, nodeRed5 } from "../support/requirements";
import { NODE_RED_5 } from "../support/runtime";
import { describeEachExample, describeExamples } from "../support/suites/examples-suite";
import { describePackage } from "../support/suites/package-suite";

describe("the newest Node-RED", () => {
  before(function () {
    needed(nodeRed5, this);
  });
  describePackage(NODE_RED_5);
  describeExamples(NODE_RED_5);
  describeEachExample(NODE_RED_5);
});
