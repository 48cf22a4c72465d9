// Tests the packed package in the Node-RED version used for development. Every example runs in the oldest and the newest.
import { NODE_RED } from "../support/runtime";
import { describeAdminRoutes } from "../support/suites/admin-suite";
import { describeNodeRed } from "../support/suites/node-red-suite";
import { describePackage } from "../support/suites/package-suite";

describeNodeRed(NODE_RED, describePackage, describeAdminRoutes);
