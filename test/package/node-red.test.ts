// Tests the packed package in the Node-RED version used for development.
import { NODE_RED } from "../support/runtime";
import { describeAdminRoutes } from "../support/suites/admin-suite";
import { describeExamples } from "../support/suites/examples-suite";
import { describeNodeRed } from "../support/suites/node-red-suite";
import { describePackage } from "../support/suites/package-suite";

describeNodeRed(NODE_RED, describePackage, describeAdminRoutes, describeExamples);
