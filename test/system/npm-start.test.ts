// Tests for npm start. They run one after the other, because each wants the same ports.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type DemoProcess, startDemoProcess } from "../support/demo-process";
import { temporaryFolder } from "../support/temporary";
import { describeDashboard } from "./npm-start/dashboard";
import { describeDashboardLook } from "./npm-start/dashboard-look";
import { describeStarted, describeStarts } from "./npm-start/start";
import { describeLogin } from "./npm-start/start-login";

describe("npm start", () => {
  // The first minute of a demo, whose examples read months, is the dearest: one for all who only look.
  describe("once it runs", () => {
    const userDir = join(temporaryFolder(), "new");
    let startTime: number;
    let demo: DemoProcess;

    before(async () => {
      startTime = Date.now();
      demo = await startDemoProcess(userDir);
    });
    after(async () => {
      if (demo) assert.equal(await demo.end("SIGINT"), 0, "the exit code with all examples");
    });

    const started = (): DemoProcess => demo;
    describeStarted(started);
    describe("for others", () => describeLogin(started, userDir));
    describe("the dashboard", () => describeDashboard(started, () => startTime));
    describe("the look of the dashboard", () => describeDashboardLook(started));
  });

  describe("each time", describeStarts);
});
