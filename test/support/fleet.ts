// Shared by tests of scheduled runs over many sites: a node, its service, and hours that pass in a moment.
import type sinon from "sinon";
import { MINUTE } from "../../src/time-units";
import { type NodeUnderTest, startNode } from "./flow";
import { type ManySites, serveSites, siteIds } from "./many-sites";
import { usePassingTime } from "./passing-time";
import { startService, type TestService } from "./service";

export class Fleet {
  node!: NodeUnderTest;

  private constructor(
    readonly clock: sinon.SinonFakeTimers,
    readonly service: TestService,
    readonly sites: ManySites,
  ) {}

  /** A service with so many sites, minutes after ten in whatever time zone this runs, in which hourly runs begin. */
  static async open(count: number, minutes: number): Promise<Fleet> {
    const ten = new Date(2026, 5, 10, 10, minutes).getTime();
    const clock = usePassingTime(ten, ["setTimeout", "clearTimeout"]);
    const service = await startService();
    return new Fleet(clock, service, serveSites(service, siteIds(count)));
  }

  async close(): Promise<void> {
    await this.node.stop();
    await this.service.close();
    this.clock.restore();
  }

  /** Starts a node that reads all sites every five minutes, unless the properties say otherwise. */
  async start(type: string, properties: Record<string, unknown> = {}): Promise<void> {
    const all = { siteId: "*", systemId: "*", repeat: 5, ...properties };
    const account = { baseUrl: this.service.baseUrl, concurrency: 8, timeout: 3600 };
    this.node = await startNode(type, all, { account });
  }

  /** Lets time pass. The requests of each step end before the next one. */
  async pass(minutes: number, stepMs = 20_000): Promise<void> {
    for (let time = 0; time < minutes * MINUTE; time += stepMs) {
      await this.clock.tickAsync(stepMs);
      await this.service.idle();
    }
  }
}
