// Tests the same tarball in the newest Node-RED on the newest Node.js.
import { needed, nodeRed5 } from "../support/requirements";
import { NODE_RED_5 } from "../support/runtime";
import { describeAdminRoutes } from "../support/suites/admin-suite";
import { describeEachExample, describeExamples } from "../support/suites/examples-suite";
import { describeNodeRed } from "../support/suites/node-red-suite";
import { describePackage } from "../support/suites/package-suite";

describe("the newest Node-RED", () => {
  before(function () {
    needed(nodeRed5, this);
  });
  describeNodeRed(NODE_RED_5, describePackage, describeAdminRoutes, describeExamples);
  // No node has read the demo there.
  describeNodeRed(NODE_RED_5, describeEachExample);
});
