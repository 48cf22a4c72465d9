// Compares texts as people search: without regard to case, accents and the order of words.

/** Letters that have no accent to remove, but are typed as others. */
const PLAIN: Readonly<Record<string, string>> = { ß: "ss", ø: "o", ł: "l", đ: "d", æ: "ae", œ: "oe", ı: "i" };

/** The text in lower case and without accents. */
export function folded(text: string): string {
  const lower = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return lower.replaceAll(/[ßøłđæœı]/g, (letter) => PLAIN[letter] ?? letter);
}

/** Whether a folded text contains every word of the search; true for an empty search. */
export function matcher(search: string): (foldedText: string) => boolean {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}
