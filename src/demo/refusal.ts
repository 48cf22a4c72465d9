// An error response of the demo service: its status, code and message.

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const badRequest = (message: string) => new Refusal(400, "BAD_REQUEST", message);
export const unauthorized = (message: string) => new Refusal(401, "UNAUTHORIZED", message);
export const notFound = (message: string) => new Refusal(404, "NOT_FOUND", message);
