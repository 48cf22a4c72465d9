// Settings of site info.
import type { Settings } from "../setting";
import { CALLING, NAMED, SCHEDULE, SITE } from "./shared";

export const SITE_INFO = { ...NAMED, ...CALLING, ...SITE, ...SCHEDULE } as const satisfies Settings;
