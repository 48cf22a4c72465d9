// Tests the same tarball in the oldest supported Node-RED.
import { needed, nodeRed40 } from "../support/requirements";
import { NODE_RED_4_0 } from "../support/runtime";
import { describeAdminRoutes } from "../support/suites/admin-suite";
import { describeExamples } from "../support/suites/examples-suite";
import { describeNodeRed } from "../support/suites/node-red-suite";
import { describePackage } from "../support/suites/package-suite";

describe("the oldest Node-RED", () => {
  before(function () {
    needed(nodeRed40, this);
  });
  describeNodeRed(NODE_RED_4_0, describePackage, describeAdminRoutes, describeExamples);
});
