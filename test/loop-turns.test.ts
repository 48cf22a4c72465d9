// Tests for sharing the event loop: one turn for each portion, work that has begun first.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError } from "../src/errors";
import { inPortions, inTurns, LoopTurns, loopTurns } from "../src/loop-turns";

describe("loop turns", () => {
  let aborting: AbortController;
  let signal: AbortSignal;

  beforeEach(() => {
    aborting = new AbortController();
    ({ signal } = aborting);
  });

  it("gives each caller a turn of its own, in order, after all that the one before adds to its turn", async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      await turns.next(signal);
      // As a response is parsed and sent: after some promises.
      await Promise.resolve().then(() => undefined);
      order.push(name);
      setImmediate(() => order.push(`after ${name}`));
    };
    await Promise.all([take("first"), take("second"), take("third")]);
    assert.deepEqual(order, ["first", "after first", "second", "after second", "third"]);
  });

  it("goes on with what has begun before it begins anything else", async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      await turns.next(signal);
      for (const part of [1, 2, 3]) {
        if (part > 1) await turns.goOn(signal);
        order.push(`${name}${part}`);
        setImmediate(() => order.push("received"));
      }
    };
    await Promise.all([take("a"), take("b")]);
    const taken = order.filter((one) => one !== "received");
    assert.deepEqual(taken, ["a1", "a2", "a3", "b1", "b2", "b3"]);
    assert.deepEqual(order.slice(0, 4), ["a1", "received", "a2", "received"]);
  });

  it("gives no one a turn that was about to begin before what they have sent arrives", async () => {
    const turns = new LoopTurns();
    const earlier = turns.next(signal);
    // By then, the turn of the earlier one is about to begin.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
    let hasArrived = false;
    setImmediate(() => (hasArrived = true));
    await turns.goOn(signal);
    assert.equal(hasArrived, true);
    await earlier;
  });

  it("gives those who go on a turn each, oldest first", async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const take = async (name: string): Promise<void> => {
      for (const part of [1, 2, 3]) {
        await turns.goOn(signal);
        order.push(`${name}${part}`);
      }
    };
    await Promise.all([take("a"), take("b"), take("c")]);
    assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  });

  it("rejects for those that are aborted while they wait, and goes on with the others", async () => {
    const turns = new LoopTurns();
    const begun = assert.rejects(turns.goOn(signal), AbortedError);
    const aborted = assert.rejects(turns.next(signal), AbortedError);
    const other = turns.next(new AbortController().signal);
    aborting.abort();
    // At once, however long the turn of someone else takes.
    await aborted;
    await Promise.all([begun, other]);
  });

  describe("in portions", () => {
    const items = Array.from({ length: 120 }, (_none, index) => index);

    it("sends the next portion once the one before is received", async () => {
      const order: string[] = [];
      const send = (portion: readonly number[]): string => {
        order.push(`send ${portion[0]} to ${portion.at(-1)}`);
        setImmediate(() => order.push("arrives"));
        return `received ${portion.length}`;
      };
      const received = (text: string): void => void order.push(text);
      await inPortions(items, { signal, isWhole: false, send, received });
      const first = ["send 0 to 49", "arrives", "received 50"];
      const second = ["send 50 to 99", "arrives", "received 50"];
      const last = ["send 100 to 119", "arrives", "received 20"];
      assert.deepEqual(order, [...first, ...second, ...last]);
    });

    it("counts a portion as received once it is, however long the next one waits", async () => {
      const order: string[] = [];
      const others = Array.from({ length: 3 }, async () => {
        await loopTurns.goOn(signal);
        order.push("other");
      });
      const send = (): void => void order.push("send");
      const received = (): void => void order.push("received");
      await Promise.all([...others, inPortions(items, { signal, isWhole: false, send, received })]);
      assert.deepEqual(order.slice(0, 6), ["send", "received", "other", "other", "other", "send"]);
    });

    it("lets two senders send one after the other", async () => {
      const order: string[] = [];
      const sendAll = async (name: string): Promise<void> => {
        await loopTurns.next(signal);
        const send = (portion: readonly number[]): number => order.push(`${name}${portion[0]}`);
        await inPortions(items, { signal, isWhole: false, send });
      };
      await Promise.all([sendAll("a"), sendAll("b")]);
      assert.deepEqual(order, ["a0", "a50", "a100", "b0", "b50", "b100"]);
    });

    it("counts nothing as received before it is, however many send, in whatever turn they begin", async () => {
      let [early, count] = [0, 0];
      const sendWindows = async (): Promise<void> => {
        for (let window = 0; window < 5; window += 1) {
          const send = (): { hasArrived: boolean } => {
            const message = { hasArrived: false };
            setImmediate(() => (message.hasArrived = true));
            return message;
          };
          const received = ({ hasArrived }: { hasArrived: boolean }): void => {
            count += 1;
            if (!hasArrived) early += 1;
          };
          await inPortions(items, { signal, isWhole: false, send, received });
        }
      };
      await Promise.all(Array.from({ length: 16 }, sendWindows));
      assert.deepEqual([early, count], [0, 16 * 5 * 3]);
    });

    it("sends everything at once if it is one message, and nothing if there is nothing", async () => {
      const sizes: number[] = [];
      const sending = { signal, isWhole: true };
      const send = (portion: readonly number[]): void => void sizes.push(portion.length);
      await inPortions(items, { ...sending, send });
      await inPortions([], { ...sending, send });
      assert.deepEqual(sizes, [120]);
    });

    it("ends with the portion that is on its way when it is aborted, which does not count as received", async () => {
      const sizes: number[] = [];
      let count = 0;
      const send = (portion: readonly number[]): void => {
        sizes.push(portion.length);
        if (sizes.length === 2) aborting.abort();
      };
      const received = (): void => void (count += 1);
      const sending = inPortions(items, { signal, isWhole: false, send, received });
      await assert.rejects(sending, AbortedError);
      assert.deepEqual([sizes, count], [[50, 50], 1]);
      await assert.rejects(inPortions(items, { signal, isWhole: false, send, received }), AbortedError);
      assert.equal(sizes.length, 2);
    });
  });
});

describe("work in turns", () => {
  it("does not hold the event loop, however many items there are", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    try {
      const done: string[] = [];
      // What runs in each turn of the event loop in between.
      const other = (): void => {
        done.push("other work");
        if (done.length < 20) setImmediate(other);
      };
      setImmediate(other);
      await inTurns([1, 2, 3, 4, 5, 6], (item) => {
        clock.tick(4);
        done.push(`item ${item}`);
      });
      assert.deepEqual(done.slice(0, 4), ["item 1", "item 2", "item 3", "other work"]);
      assert.deepEqual(done.slice(4, 7), ["item 4", "item 5", "item 6"]);
    } finally {
      clock.restore();
    }
  });
});
