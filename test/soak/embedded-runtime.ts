// Node-RED inside this process, without its editor, so that it runs on virtual time and can be measured.
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { MODULE, ROOT } from "../support/package";
import type { FlowNode } from "../support/runtime";
import { temporaryFolder } from "../support/temporary";
import type { LogLine } from "./journal";

export type Deployment = "full" | "flows" | "nodes" | "reload";

/** As far as it is used here. */
interface NodeRed {
  init(settings: object): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  events: NodeJS.EventEmitter;
  nodes: { getNode(id: string): { receive(message: object): void } | null };
  runtime: {
    flows: {
      setFlows(options: {
        flows: { flows: FlowNode[]; credentials: object };
        deploymentType: Deployment;
      }): Promise<unknown>;
    };
  };
}

/** Other packages that Node-RED would find beside itself. */
const EXCLUDED = ["ui_base.js", "ui_base", "influxdb.js"];

export class EmbeddedRuntime {
  readonly userDir = temporaryFolder();
  readonly #nodeRed = require("node-red") as NodeRed;

  get events(): NodeJS.EventEmitter {
    return this.#nodeRed.events;
  }

  /** Starts without a flow. @param globals the initial global context */
  async start(globals: object, onLog: (line: LogLine) => void): Promise<void> {
    const path = join(this.userDir, "node_modules", MODULE);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(ROOT, path);
    this.#nodeRed.init({
      userDir: this.userDir,
      flowFile: "flows.json",
      httpAdminRoot: false,
      httpNodeRoot: false,
      disableEditor: true,
      credentialSecret: false,
      functionGlobalContext: globals,
      nodesExcludes: EXCLUDED,
      lang: "en-US",
      telemetry: { enabled: false },
      logging: { soak: { level: "warn", metrics: false, audit: false, handler: () => onLog } },
    });
    const started = once(this.events, "flows:started");
    await this.#nodeRed.start();
    await started;
  }

  async deploy(flows: FlowNode[], credentials: object, deploymentType: Deployment): Promise<void> {
    await this.#nodeRed.runtime.flows.setFlows({ flows: { flows, credentials }, deploymentType });
  }

  /** Sends a message to a node. */
  input(id: string, message: object): void {
    this.#nodeRed.nodes.getNode(id)?.receive(message);
  }

  stop(): Promise<void> {
    return this.#nodeRed.stop();
  }
}
