// Binds the client secret of an account to the origin (scheme, host, port) for which it was entered.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../src/errors";
import { isServiceObject } from "../../src/models/service-object";
import { errorMessage } from "../shared/runtime/base/errors";
import { readStateFile, writeStateFile } from "../shared/runtime/state/state-file";
import { digest } from "../shared/runtime/state/state-key";

/** What is remembered of a secret: where it may be sent, and how to recognize it. Plain data, stored as JSON. */
interface Binding {
  origin: string;
  /** The credential `origin` at that time. */
  entered: string;
  salt: string;
  hash: string;
}

/** The credentials in use, with every ${NAME} replaced. */
interface SecretInUse {
  baseUrl: string;
  clientSecret: string;
  /**
   * The credential `origin`, which the dialog sets whenever the secret is entered: the origin of the base URL, unless that
   * has a ${NAME}, and the time. Absent if the credentials did not come from the dialog.
   */
  entered: string | undefined;
}

const SALT_BYTES = 32;

export class CredentialOrigins {
  readonly #RED: NodeAPI;
  /** Bindings by account id; lasts as long as the runtime, because it may have no user directory. */
  readonly #known = new Map<string, Binding>();

  constructor(RED: NodeAPI) {
    this.#RED = RED;
  }

  /** Binds a new secret to the origin of the base URL. Throws ConfigError if the secret belongs to another origin. */
  async check(node: Node, { baseUrl, clientSecret, entered = "" }: SecretInUse): Promise<void> {
    const { origin } = new URL(baseUrl);
    const { owner, bound } = await this.#ownership(node, clientSecret, entered);
    if (owner !== undefined && owner !== origin)
      throw new ConfigError("credentialsOrigin", { origin: owner });
    if (bound) this.#known.set(node.id, bound);
    else await this.#bind(node, { origin, entered }, clientSecret);
  }

  /**
   * As `check`, for settings that are only being tried: binds nothing.
   * @param home where a secret that is not yet bound belongs: the base URL of the deployed account
   */
  async requireOwner(
    node: Node,
    { baseUrl, clientSecret, entered = "" }: SecretInUse,
    home: () => string,
  ): Promise<void> {
    const { owner = new URL(home()).origin } = await this.#ownership(node, clientSecret, entered);
    if (owner !== new URL(baseUrl).origin) throw new ConfigError("credentialsOrigin", { origin: owner });
  }

  /** The origin to which a secret belongs, if that is known, and the binding that still holds. */
  async #ownership(
    node: Node,
    clientSecret: string,
    entered: string,
  ): Promise<{ owner: string | undefined; bound: Binding | undefined }> {
    const known = this.#known.get(node.id) ?? (await this.#read(node));
    const bound = known && hasSecret(known, clientSecret) ? known : undefined;
    const isEnteredAgain = entered !== "" && entered !== known?.entered;
    if (isEnteredAgain) return { owner: originOf(entered), bound: undefined };
    return { owner: bound?.origin, bound };
  }

  async #bind(node: Node, place: Pick<Binding, "origin" | "entered">, secret: string): Promise<void> {
    const salt = randomBytes(SALT_BYTES).toString("hex");
    const binding = { ...place, salt, hash: hashOf(secret, salt).toString("hex") };
    this.#known.set(node.id, binding);
    const path = this.#pathOf(node);
    if (path === undefined) return;
    // A disk that cannot be written must not stop the account; the binding then lasts until Node-RED restarts.
    await writeStateFile(path, keyOf(node), binding).catch((error: unknown) => {
      node.warn(errorMessage(this.#RED, error));
    });
  }

  async #read(node: Node): Promise<Binding | undefined> {
    const path = this.#pathOf(node);
    return path === undefined ? undefined : readStateFile(this.#RED, node, path, readBinding);
  }

  #pathOf(node: Node): string | undefined {
    const { userDir } = this.#RED.settings;
    return userDir ? join(userDir, "energy-sites-accounts", `${digest(keyOf(node))}.json`) : undefined;
  }
}

function keyOf(node: Node): { nodeId: string } {
  return { nodeId: node.id };
}

/** Undefined if the credential has only a time. */
function originOf(entered: string): string | undefined {
  const [url = ""] = entered.split(" ");
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function hashOf(secret: string, salt: string): Buffer {
  return createHmac("sha256", salt).update(secret).digest();
}

function hasSecret({ salt, hash }: Binding, secret: string): boolean {
  const [expected, actual] = [Buffer.from(hash, "hex"), hashOf(secret, salt)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function readBinding(stored: unknown): Binding | undefined {
  if (!isServiceObject(stored)) return undefined;
  const { origin, entered, salt, hash } = stored;
  const texts = [origin, entered, salt, hash];
  return texts.every((text) => typeof text === "string")
    ? ({ origin, entered, salt, hash } as Binding)
    : undefined;
}
