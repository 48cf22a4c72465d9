// A CONNECT proxy on loopback that logs its requests.
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";

export interface Proxy {
  url: string;
  port: number;
  /** The CONNECT requests: the target, and the Proxy-Authorization header. */
  tunnels: { target: string; authorization: string | undefined }[];
  /** Open sockets to clients. */
  open: Set<object>;
  /** Resolves once no socket is open. */
  emptied(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param answer how it responds to CONNECT: with a tunnel, with a status, by hanging up, or never
 * @param tls makes it an https proxy
 */
export async function startProxy(
  answer: "tunnel" | "never" | "hang up" | number = "tunnel",
  tls?: https.ServerOptions,
): Promise<Proxy> {
  const tunnels: Proxy["tunnels"] = [];
  const open = new Set<net.Socket>();
  const refuse = (_request: http.IncomingMessage, response: http.ServerResponse): void =>
    void response.writeHead(501).end();
  const server = tls ? https.createServer(tls, refuse) : http.createServer(refuse);
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  server.on("connect", (request, socket) => {
    tunnels.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    if (answer === "never") {
      socket.on("end", () => socket.destroy()).resume();
      return;
    }
    if (answer === "hang up") {
      socket.destroy();
      return;
    }
    if (typeof answer === "number") {
      socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const target = net.connect(Number(port), host === "localhost" ? "127.0.0.1" : host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(target).pipe(socket);
    });
    target.on("error", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    tunnels,
    open,
    async emptied() {
      for (const socket of open) await new Promise((done) => socket.once("close", done));
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of open) socket.destroy();
      }),
  };
}
