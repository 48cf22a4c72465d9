// The packed package in the Node-RED that it is developed with.
import { NODE_RED } from "../support/runtime";
import { describeExamples } from "../support/suites/examples-suite";
import { describePackage } from "../support/suites/package-suite";

describePackage(NODE_RED);
describeExamples(NODE_RED);
