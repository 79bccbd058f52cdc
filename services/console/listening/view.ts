import type { HeardByAll } from '../../../domain/listening/merge-heard.ts';
import { type Owner, ownerKey } from './whose-tags.ts';

const NOBODYS: Owner = { asset: null, location: null };

export function heardView(heard: HeardByAll, owners: ReadonlyMap<string, Owner>) {
  const { sources, messages, rejected, ignored, reads, tags, tagsLeftOut, arrivals } = heard;
  return {
    ...{ sources, messages, rejected, ignored, reads },
    tags: tags.map((tag) => ({
      ...{ tag_type: tag.tagType, value: tag.value, antenna: tag.antenna, count: tag.count },
      ...{ rssi: tag.rssi, strongest_rssi: tag.strongest, last_read_at: timeOf(tag.at) },
      ...(owners.get(ownerKey(tag)) ?? NOBODYS),
    })),
    tags_left_out: tagsLeftOut,
    arrivals: arrivals.map(({ at, topic, bytes, outcome, reason }) => ({
      ...{ at: timeOf(at), topic, size: bytes, outcome, reason },
    })),
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
