// Tests the same tarball in the oldest supported Node-RED.
import { needed, nodeRed40 } from "../support/requirements";
import { NODE_RED_4_0 } from "../support/runtime";
import { describeEachExample, describeExamples } from "../support/suites/examples-suite";
import { describePackage } from "../support/suites/package-suite";

describe("the oldest Node-RED", () => {
  before(function () {
    needed(nodeRed40, this);
  });
  describePackage(NODE_RED_4_0);
  describeExamples(NODE_RED_4_0);
  describeEachExample(NODE_RED_4_0);
});
