// site list: the sites that the credentials can see, as one list or one message each.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { readableSystemsOf, type Site, siteIdOf, systemIdOf } from "../../src/models/site";
import { Reported } from "../../src/bounded-map";
import { SITE_LIST } from "./settings";
import { noSitesNotice, StandingNotice, unreadableSites } from "../shared/runtime/service/unreadable";
import type { Content } from "../shared/runtime/base/message";
import { readSettings } from "../shared/runtime/base/settings";
import { sendSequence } from "../shared/runtime/service/replies";
import { type Run, startServiceNode } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";

type Item = Pick<Content, "payload" | "address">;

export default function register(RED: NodeAPI): void {
  function SiteList(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, SITE_LIST, config);
    const reported = new Reported();
    const emptyList = new StandingNotice();
    const work = async (run: Run): Promise<StatusText> => {
      const { output } = settings.valid();
      const service = await run.service();
      const onUnreadable = unreadableSites(run, reported);
      const readAt = run.clock.now();
      const sites = await service.sites({ signal: run.signal, onUnreadable });
      await (await run.account().book()).listed({ sites, isWhole: true, readAt });
      emptyList.check(run, sites.length === 0, noSitesNotice(service.noSites));
      if (output !== "list") {
        const items = output === "sites" ? sites.map(siteItem) : sites.flatMap(systemItems);
        const count = items.length;
        const contents = items.map((item) => ({ ...item, energy: { kind: "site-list", count } as const }));
        await run.replyEach((reply) => sendSequence(RED, reply, contents));
        return { key: output === "sites" ? "site-list:sites" : "site-list:systems", values: { count } };
      }
      const energy = { kind: "site-list", count: sites.length } as const;
      await run.reply({ payload: sites, address: "account", energy });
      return { key: "site-list:sites", values: { count: sites.length } };
    };
    startServiceNode(RED, this, {
      settings,
      kind: "site-list",
      work,
      sameWork: () => "list",
    });
  }

  RED.nodes.registerType("energy-site-list", SiteList);
}

function siteItem(site: Site): Item {
  return { payload: site, address: { siteId: siteIdOf(site), systemId: undefined } };
}

function systemItems(site: Site): Item[] {
  const siteId = siteIdOf(site);
  return readableSystemsOf(site).map((system) => ({
    payload: system,
    address: { siteId, systemId: systemIdOf(system) },
  }));
}
