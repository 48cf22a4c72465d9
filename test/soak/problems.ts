// Collects what must not happen in a soak; only the first of many are kept in full.

const MAX_TEXTS = 60;

export class Problems {
  readonly texts: string[] = [];
  count = 0;

  constructor(private readonly time: () => string) {}

  add(text: string): void {
    this.count += 1;
    if (this.texts.length < MAX_TEXTS) this.texts.push(`${this.time()} ${text.slice(0, 400)}`);
  }
}
