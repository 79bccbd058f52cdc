import { identifierAt, identifierNamed, isValueOf } from './application-identifiers.ts';
import { type Elements, FNC1 } from './gs1-key.ts';

/** A scanned element string, with FNC1 where a value of variable length ends before the end. Null if any of it is no element. */
export function parseElementString(text: string): Elements | null {
  const elements = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const ai = identifierAt(text, at);
    const identifier = ai === null ? undefined : identifierNamed(ai);
    if (ai === null || identifier === undefined) {
      return null;
    }
    at += ai.length;
    const next = text.indexOf(FNC1, at);
    const end = Math.min(next < 0 ? text.length : next, at + identifier.most);
    const value = text.slice(at, end);
    if (!isValueOf(identifier, value) || !addTo(elements, ai, value)) {
      return null;
    }
    at = text[end] === FNC1 ? end + 1 : end;
  }
  return elements.size === 0 ? null : elements;
}

/** An element string for people, with its identifiers in parentheses. */
export function parseBracketed(text: string): Elements | null {
  const elements = new Map<string, string>();
  const marks = [...text.matchAll(MARK)].filter(([, ai = '']) => identifierNamed(ai) !== undefined);
  if (marks[0]?.index !== 0) {
    return null;
  }
  for (const [index, { 0: mark, 1: ai = '', index: at }] of marks.entries()) {
    const value = text.slice(at + mark.length, marks[index + 1]?.index).trim();
    const identifier = identifierNamed(ai);
    if (identifier === undefined || !isValueOf(identifier, value) || !addTo(elements, ai, value)) {
      return null;
    }
  }
  return elements;
}

const MARK = /\(([0-9]{2,4})\)/g;

/** @returns false if it is there with another value. */
function addTo(elements: Map<string, string>, ai: string, value: string): boolean {
  const before = elements.get(ai);
  elements.set(ai, value);
  return before === undefined || before === value;
}
