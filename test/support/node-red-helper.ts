// Lets the helper of Node-RED record what is logged and sent without keeping each call with its stack, which takes a fifth of the time.
import helper from "node-red-node-test-helper";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Takes the place of the sandbox of sinon, as far as the helper uses that. */
class LightSpies {
  readonly #restore: (() => void)[] = [];

  /** Records what is logged, but for metrics, of which each message has several; of other methods, the last call. */
  spy(object: object, name: string): Method {
    const original = Reflect.get(object, name) as Method;
    const metric: unknown = Reflect.get(object, "METRIC");
    const calls: unknown[][] = [];
    const restore = (): void => void Reflect.set(object, name, original);
    const spy = Object.assign(
      function (this: unknown, ...args: unknown[]): unknown {
        spy.lastCall = { args };
        const [entry] = args as [{ level?: unknown }?];
        if (metric !== undefined && entry?.level !== metric) calls.push(args);
        return original.apply(this, args);
      },
      { args: calls, lastCall: { args: [] as unknown[] }, restore },
    );
    this.#restore.push(restore);
    Reflect.set(object, name, spy);
    return spy;
  }

  restore(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }
}

Reflect.set(helper, "_sandbox", new LightSpies());
helper.init(require.resolve("node-red"));

export { helper };
