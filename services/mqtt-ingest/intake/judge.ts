import { messageOf } from '../../../base/errors.ts';
import { topicMatches } from '../../../domain/administration/readers/topic.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { type Mapped, mapMessage } from '../../../domain/formats/mapping/run.ts';
import type { RegisteredReader } from '../registry/load-readers.ts';

export function judge(reader: RegisteredReader | null, topic: string, payload: Buffer): Mapped {
  const readable = readableBy(reader, topic);
  return 'outcome' in readable
    ? readable
    : mapMessage(readable.format, { topic, payload }, readable.reader.policies);
}

export interface Readable {
  reader: RegisteredReader;
  format: Format;
}

/** The format for the reader's messages on the topic, or why they are not accepted as that reader's. */
export function readableBy(
  reader: RegisteredReader | null,
  topic: string,
): Readable | (Mapped & { outcome: 'rejected' }) {
  if (reader === null) {
    return { outcome: 'rejected', reason: 'no reader has this topic' };
  }
  if (!topicMatches(reader.topic, topic)) {
    return { outcome: 'rejected', reason: `the topic is not the publisher's, which is ${reader.topic}` };
  }
  const { format } = reader;
  return format === null
    ? { outcome: 'rejected', reason: `the reader's format ${reader.formatName} does not exist` }
    : { reader, format };
}

/** The outcome of a message that could not be recorded for its own sake. */
export function refused(error: unknown): Mapped {
  return { outcome: 'rejected', reason: `it could not be recorded: ${messageOf(error)}` };
}
