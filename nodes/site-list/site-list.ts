// site list: the sites that the credentials can see, as one list or one message each.
import { readableSystemsOf, type Site, siteIdOf, systemIdOf } from "../../src/models/site";
import { addressId } from "../../src/series/identity";
import { SITE_LIST } from "./settings";
import type { Content } from "../shared/runtime/base/message";
import { noSitesNotice, type Run, serviceNode, StandingNotice } from "../shared/runtime/service/service-node";
import type { StatusText } from "../shared/runtime/base/status";

export default serviceNode("energy-site-list", SITE_LIST, (_RED, _node, settings) => {
  const emptyList = new StandingNotice();
  const work = async (run: Run): Promise<StatusText> => {
    const { output } = settings.valid();
    const service = await run.service();
    const sites = await service.sites({ signal: run.signal, onUnreadable: run.reportUnreadable });
    emptyList.check(run, sites.length === 0, noSitesNotice(service.noSites));
    if (output === "list") {
      const energy = { kind: "site-list", count: sites.length } as const;
      await run.reply({ payload: sites, address: "account", energy });
      return { key: "site-list:sites", values: { count: sites.length } };
    }
    const seen = new Set<string>();
    const items = sites.flatMap((site) => itemsOf(site, output, seen));
    const count = items.length;
    const contents = items.map((item) => ({ ...item, energy: { kind: "site-list", count } as const }));
    await run.replySequence(contents);
    return { key: output === "sites" ? "site-list:sites" : "site-list:systems", values: { count } };
  };
  return { work, sameWork: () => "list" };
});

/** A site, or each of its systems. One that is listed twice, as by two pages, is one. */
function itemsOf(
  site: Site,
  output: "sites" | "systems",
  seen: Set<string>,
): Pick<Content, "payload" | "address">[] {
  const siteId = siteIdOf(site);
  const isNew = (systemId?: string): boolean => seen.size < seen.add(addressId({ siteId, systemId })).size;
  if (output === "sites") return isNew() ? [{ payload: site, address: { siteId, systemId: undefined } }] : [];
  const systems = readableSystemsOf(site).map((system) => ({
    payload: system,
    address: { siteId, systemId: systemIdOf(system) },
  }));
  const hasIds = systems.every(({ address }) => address.systemId !== undefined);
  if (hasIds) return systems.filter(({ address }) => isNew(address.systemId));
  return isNew() ? systems : [];
}
