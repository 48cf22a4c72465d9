// Tests for states in Node-RED's context stores: those that it brings, and one of others that fails.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { type NodeUnderTest, startNode } from "../../../../support/flow";
import type { SentRecord } from "../../../../support/polling";
import { usePassingTime } from "../../../../support/passing-time";
import { startService, type TestService } from "../../../../support/service";
import { temporaryFolder } from "../../../../support/temporary";

/** The helper starts Node-RED without the context stores of its settings. */
const contexts = createRequire(require.resolve("node-red"))("@node-red/runtime/lib/nodes/context") as {
  load(): Promise<void>;
  close(): Promise<void>;
};

/** A store that throws where others call back. */
function failingStore(thrown: unknown): () => object {
  return storeThat((): never => {
    throw thrown;
  });
}

/** @param refuse what it does where others call back */
function storeThat(refuse: () => void): () => object {
  const done = (): Promise<void> => Promise.resolve();
  return () => ({
    open: done,
    close: done,
    clean: done,
    delete: done,
    keys: refuse,
    get: refuse,
    set: refuse,
  });
}

describe("a state in a context store", () => {
  let service: TestService;
  let node: NodeUnderTest;
  let userDir: string;

  beforeEach(async () => {
    service = await startService();
    userDir = temporaryFolder();
  });
  afterEach(() => service.close());

  const start = async (store: object): Promise<void> => {
    node = await startNode(
      "energy-telemetry-poll",
      { siteId: "demo-house", store: "context:mine", startFrom: "hours", startHours: 1 },
      {
        account: { baseUrl: service.baseUrl },
        userDir,
        settings: { contextStorage: { default: { module: "memory" }, mine: store } },
      },
    );
    await contexts.load();
    node.input({});
  };
  const stop = async (): Promise<void> => {
    await node.stop();
    await contexts.close();
  };

  for (const cache of [true, false])
    it(`survives a restart in files, ${cache ? "with" : "without"} a cache`, async () => {
      const store = { module: "localfilesystem", config: { dir: userDir, cache } };
      await start(store);
      await node.completed();
      assert.ok(node.sent<SentRecord>().length > 10);
      await stop();
      await start(store);
      await node.completed();
      assert.ok(node.sent<SentRecord>().length < 10);
      await stop();
    });

  for (const [name, thrown] of [
    ["an error", new Error("no connection")],
    ["what cannot be shown as text", Object.create(null)],
  ] as const)
    it(`is an ENERGY_STORE error if the store throws ${name}`, async () => {
      await start({ module: failingStore(thrown) });
      assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
      await stop();
    });

  for (const method of ["get", "set"])
    it(`is an ENERGY_STORE error if the store never calls back for ${method}`, async () => {
      const clock = usePassingTime(Date.UTC(2026, 5, 10, 10, 7), ["setTimeout", "clearTimeout"]);
      try {
        let ignore = (): void => undefined;
        const isCalled = new Promise<void>((resolve) => (ignore = resolve));
        const others = { get: (_scope: string, _key: string, done: (error: null) => void) => done(null) };
        await start({ module: () => ({ ...storeThat(ignore)(), ...others, [method]: ignore }) });
        await isCalled;
        // One that writes all states into one file takes this long for a thousand systems.
        await clock.tickAsync(50_000);
        await service.idle();
        assert.deepEqual(node.caughtSoFar(), []);
        // What could not be written is written once more.
        await clock.tickAsync(100_000);
        assert.equal((await node.caught()).energy.error.code, "ENERGY_STORE");
      } finally {
        clock.restore();
      }
      await stop();
    });
});
