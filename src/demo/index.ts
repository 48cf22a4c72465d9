// The demo service: the whole service interface, simulated inside the package.
export { startDemoService, type DemoOptions, type DemoService } from "./server";

/** What an account in demo mode signs in with. */
export const DEMO_CREDENTIALS = { clientId: "demo-client", clientSecret: "demo-secret" };
