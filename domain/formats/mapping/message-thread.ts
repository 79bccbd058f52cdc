import { compileShaped, type Format } from './format.ts';
import { type Mapped, mapMessage, type Policies } from './run.ts';

export interface MessageTask {
  definition: string;
  topic: string;
  payload: Uint8Array<ArrayBuffer>;
  policies: Partial<Policies>;
}

/** Compiled ones; a format takes some 100 KB. */
const formats = new Map<string, Format>();
const MOST_FORMATS = 64;

export function read({ definition, topic, payload, policies }: MessageTask): Mapped {
  const { buffer, byteOffset, length } = payload;
  return mapMessage(
    formatOf(definition),
    { topic, payload: Buffer.from(buffer, byteOffset, length) },
    policies,
  );
}

function formatOf(definition: string): Format {
  const known = formats.get(definition);
  if (known !== undefined) {
    return known;
  }
  if (formats.size >= MOST_FORMATS) {
    formats.clear();
  }
  const format = compileShaped(JSON.parse(definition));
  formats.set(definition, format);
  return format;
}
