// site list: the sites that the credentials can see, as one list or a message each.
import type { Node, NodeAPI } from "node-red";
import { type Site, type System } from "../../src/models/site";
import { siteIdOf, systemIdOf, systemsOf } from "../../src/models/site-reader";
import { type ServiceNodeDef, startRuns } from "../shared/runtime/runs";
import { sendSequence } from "../shared/runtime/sequence";

interface SiteListDef extends ServiceNodeDef {
  output?: "list" | "sites" | "systems";
}

interface Item {
  payload: Site | System;
  address: { siteId: string; systemId: string | undefined };
}

export default function register(RED: NodeAPI): void {
  function SiteList(this: Node, config: SiteListDef): void {
    RED.nodes.createNode(this, config);
    startRuns(RED, this, config, "site-list", async (run) => {
      const service = await run.service();
      const sites = await service.sites({ signal: run.signal });
      if (config.output === "sites" || config.output === "systems") {
        const items = config.output === "sites" ? sites.map(siteItem) : sites.flatMap(systemItems);
        const count = items.length;
        const contents = items.map((item) => ({ ...item, energy: { kind: "site-list", count } as const }));
        sendSequence(RED, run, contents);
        return {
          key: config.output === "sites" ? "site-list:sites" : "site-list:systems",
          values: { count },
        };
      }
      run.send(
        run.make({ payload: sites, address: "account", energy: { kind: "site-list", count: sites.length } }),
      );
      return { key: "site-list:sites", values: { count: sites.length } };
    });
  }

  RED.nodes.registerType("energy-site-list", SiteList);
}

function siteItem(site: Site): Item {
  return { payload: site, address: { siteId: siteIdOf(site), systemId: undefined } };
}

function systemItems(site: Site): Item[] {
  return systemsOf(site).map((system) => ({
    payload: system,
    address: { siteId: siteIdOf(site), systemId: systemIdOf(system) },
  }));
}
