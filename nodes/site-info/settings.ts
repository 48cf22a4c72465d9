// Settings of site info.
import type { Settings } from "../../src/settings/kinds";
import { USES_ACCOUNT, NAMED, SCHEDULE, SITE } from "../shared/settings";

export const SITE_INFO = { ...NAMED, ...USES_ACCOUNT, ...SITE, ...SCHEDULE } as const satisfies Settings;
