// site info: the details of one site: its systems, their capabilities, and their devices with state.
import { generationsOf, hasMeter, systemIdsOf } from "../../src/models/site";
import { defined } from "../../src/objects";
import { addressOf, sameSelection } from "../shared/runtime/series/selection";
import { type Run, serviceNode } from "../shared/runtime/service/service-node";
import { type StatusText, timeOfDay } from "../shared/runtime/base/status";
import { SITE_INFO } from "./settings";

export default serviceNode("energy-site-info", SITE_INFO, (RED, node, settings) => {
  const work = async (run: Run): Promise<StatusText> => {
    const { siteId } = await addressOf(RED, node, settings.valid(), run.message);
    const service = await run.service();
    const site = await service.site(siteId, {
      signal: run.signal,
      onUnreadable: run.reportUnreadable,
    });
    const systemIds = systemIdsOf(site);
    const energy = defined({ generations: generationsOf(site), hasRgm: hasMeter(site), systemIds });
    await run.reply({ payload: site, address: { siteId }, energy: { kind: "site-info", ...energy } });
    return { key: "site-info:read", values: { time: timeOfDay(run.clock.now()), count: systemIds.length } };
  };
  return {
    work,
    sameWork: (message) => sameSelection(RED, settings.values, message),
  };
});
