// The demo service: the whole service interface, simulated inside the package.
export { startDemoService, type DemoOptions, type DemoService } from "./server";

/** The credentials of an account in demo mode. */
export const DEMO_CREDENTIALS = { clientId: "demo-client", clientSecret: "demo-secret" };
