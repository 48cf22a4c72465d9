// Settings of site info.
import type { Settings } from "../setting";
import { USES_ACCOUNT, NAMED, SCHEDULE, SITE } from "./shared";

export const SITE_INFO = { ...NAMED, ...USES_ACCOUNT, ...SITE, ...SCHEDULE } as const satisfies Settings;
