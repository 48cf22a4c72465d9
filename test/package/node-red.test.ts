// Tests the packed package in the Node-RED version used for development.
import { NODE_RED } from "../support/runtime";
import { describeExamples } from "../support/suites/examples-suite";
import { describePackage } from "../support/suites/package-suite";

describePackage(NODE_RED);
describeExamples(NODE_RED);
