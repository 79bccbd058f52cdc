import { append } from '../../base/append.ts';
import type { Arrival, Heard, HeardTag } from './heard.ts';
import { byStrength } from './heard.ts';

export type HeardByAll = Pick<
  Heard,
  'messages' | 'rejected' | 'ignored' | 'reads' | 'tags' | 'tagsLeftOut' | 'arrivals'
> & {
  /** Processes of ingestion that listen. */
  sources: number;
};

/** Merges the reads that several processes heard at one antenna; each has a share of a broker's messages. */
export function mergeHeard(all: readonly Heard[], { mostArrivals = 5 } = {}): HeardByAll {
  const tags = new Map<string, HeardTag>();
  const arrivals: Arrival[] = [];
  const sum = { messages: 0, rejected: 0, ignored: 0, reads: 0, tagsLeftOut: 0 };
  for (const heard of all) {
    sum.messages += heard.messages;
    sum.rejected += heard.rejected;
    sum.ignored += heard.ignored;
    sum.reads += heard.reads;
    sum.tagsLeftOut += heard.tagsLeftOut;
    append(arrivals, heard.arrivals);
    for (const tag of heard.tags) {
      const key = `${tag.locationId ?? ''} ${tag.antenna} ${tag.tagType} ${tag.value}`;
      const known = tags.get(key);
      tags.set(key, known === undefined ? tag : together(known, tag));
    }
  }
  return {
    ...sum,
    sources: all.length,
    tags: [...tags.values()].sort(byStrength),
    arrivals: arrivals.sort((one, other) => other.at - one.at).slice(0, mostArrivals),
  };
}

function together(one: HeardTag, other: HeardTag): HeardTag {
  const last = one.at >= other.at ? one : other;
  const strongest =
    one.strongest === null || other.strongest === null
      ? (one.strongest ?? other.strongest)
      : Math.max(one.strongest, other.strongest);
  return { ...last, count: one.count + other.count, strongest };
}
