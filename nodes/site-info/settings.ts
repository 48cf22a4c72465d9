// Settings of site info.
import type { Settings } from "../../src/settings/table";
import { CALLING, SCHEDULE, SITE } from "../shared/settings";

export const SITE_INFO = { ...CALLING, ...SITE, ...SCHEDULE } as const satisfies Settings;
