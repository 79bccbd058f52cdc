import { faultOfTopicFilter } from '../../../domain/administration/readers/topic.ts';

/** Bytes. */
const LONGEST_FILTER = 65_535;

/** Some brokers accept no more filters in one packet. */
const MOST_FILTERS = 8;

export class TopicFilters {
  readonly isShared: boolean;
  readonly #group: string;

  constructor(group: string, isShared: boolean) {
    this.#group = group;
    this.isShared = isShared;
  }

  of(topic: string): string {
    return this.isShared ? this.#shared(topic) : topic;
  }

  /** The filter of the other kind, which an earlier process may have used. */
  otherOf(topic: string): string {
    return this.isShared ? topic : this.#shared(topic);
  }

  bothOf(topic: string): string[] {
    return [topic, this.#shared(topic)];
  }

  /** The client library rejects all filters if one is unusable. */
  isUsable(topic: string): boolean {
    return faultOfTopicFilter(topic) === null && Buffer.byteLength(this.#shared(topic)) <= LONGEST_FILTER;
  }

  #shared(topic: string): string {
    return `$share/${this.#group}/${topic}`;
  }
}

export function inPackets(filters: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(filters.length / MOST_FILTERS) }, (_, index) =>
    filters.slice(index * MOST_FILTERS, (index + 1) * MOST_FILTERS),
  );
}
