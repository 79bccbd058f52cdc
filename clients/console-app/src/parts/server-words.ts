import { type Texts, texts } from '../texts/texts.ts';

/** UTF-16 units of sentences that are looked for, and sentences within one another. */
const LONGEST = 2_000;
const DEEPEST = 3;

/** A sentence of the server in the user's language, its field in front of it; null where that is not known. */
export function serverWords(sentence: string, { serverSays, changes }: Texts = texts.value): string | null {
  const [name = ''] = /^[a-z_]*/.exec(sentence) ?? [];
  const rest = sentence.slice(sentence.indexOf(' ') + 1);
  const fields: Readonly<Record<string, string>> = changes.fields;
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const whole = likest(sentence, serverSays);
  const ofField = field === undefined ? null : likest(rest, serverSays);
  return ofField !== null && ofField.fixed >= (whole?.fixed ?? 0)
    ? `${field}: ${inWords(ofField, serverSays, DEEPEST)}`
    : whole && inWords(whole, serverSays, DEEPEST);
}

interface Match {
  words: string;
  parts: readonly string[];
  /** UTF-16 units of the sentence that are no part. */
  fixed: number;
}

function inWords({ words, parts }: Match, says: Texts['serverSays'], depth: number): string {
  return words.replace(/\{(\d)(,?)\}/g, (_, number, comma) => {
    const part = parts[Number(number) - 1] ?? '';
    const match = depth === 0 ? null : likest(part, says);
    if (match === null) {
      return comma === '' ? part : part.replace('.', ',');
    }
    return inWords(match, says, depth - 1);
  });
}

/** The sentence of which most is in it. */
function likest(sentence: string, says: Texts['serverSays']): Match | null {
  for (const { around, fixed, words } of sentence.length > LONGEST ? [] : says) {
    const parts = partsOf(around, sentence);
    if (parts !== null) {
      return { words, parts, fixed };
    }
  }
  return null;
}

/** What stands between the fixed texts, each found as early as it can be; null where they are not these. */
function partsOf([head = '', ...fixed]: readonly string[], sentence: string): string[] | null {
  const last = fixed.pop();
  if (last === undefined) {
    return sentence === head ? [] : null;
  }
  const end = sentence.length - last.length;
  let at = head.length;
  if (!sentence.startsWith(head) || !sentence.endsWith(last) || end <= at) {
    return null;
  }
  const parts: string[] = [];
  for (const text of fixed) {
    const next = sentence.indexOf(text, at + 1);
    if (next === -1 || next + text.length >= end) {
      return null;
    }
    parts.push(sentence.slice(at, next));
    at = next + text.length;
  }
  return [...parts, sentence.slice(at, end)];
}
