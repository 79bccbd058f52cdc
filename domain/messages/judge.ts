import { messageOf } from '../../base/errors.ts';
import { topicMatches } from '../administration/readers/topic.ts';
import type { Format } from '../formats/mapping/format.ts';
import { type Mapped, mapMessage } from '../formats/mapping/run.ts';
import { NO_FORMAT } from '../formats/no-format.ts';
import type { RegisteredReader } from './load-readers.ts';

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

/** The format for the reader's messages on the topic, or the reason they are refused as that reader's. */
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
  if (format !== null) {
    return { reader, format };
  }
  const reason =
    reader.formatName === NO_FORMAT
      ? 'the reader has no format yet; choose one, then replay this'
      : `the reader's format ${reader.formatName} does not exist`;
  return { outcome: 'rejected', reason };
}

export function refused(error: unknown): Mapped {
  return { outcome: 'rejected', reason: `it could not be recorded: ${messageOf(error)}` };
}
