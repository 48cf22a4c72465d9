// The packed package in the Node-RED that it is developed with.
import { NODE_RED_4 } from "../support/runtime";
import { describeExamples } from "../support/suites/examples-suite";
import { describePackage } from "../support/suites/package-suite";

describePackage(NODE_RED_4);
describeExamples(NODE_RED_4);
