import type { ReaderReference } from '../../../domain/administration/readers/reader-references.ts';
import { KEPT_KINDS } from '../../../domain/administration/rejected/kept-message.ts';
import { KEPT_STATES, type KeptState } from '../../../domain/administration/rejected/kept-page.ts';
import { UNKNOWN_TAG_SORTS } from '../../../domain/administration/unknown-tags/page.ts';
import { TAG_TYPES } from '../../../domain/tracking/tag-type.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  booleanFilter,
  choiceFilter,
  idFilter,
  searchText,
  timeBound,
} from '../../../platform/http/parameters.ts';

export const UNKNOWN_TAG_QUERY = {
  parameters: {
    ignored: booleanFilter(false),
    tag_type: choiceFilter(TAG_TYPES, undefined),
    reader_id: idFilter,
    q: searchText,
    first_seen_after: timeBound,
    sort: sortBy(UNKNOWN_TAG_SORTS, [{ field: 'last_seen_at', isDescending: true }]),
    ...PAGING,
  },
};

export const REJECTED_QUERY = {
  parameters: {
    state: choiceFilter<KeptState, KeptState>(KEPT_STATES, 'open'),
    kind: choiceFilter(KEPT_KINDS, undefined),
    reader_id: idFilter,
    q: searchText,
    after_id: idFilter,
    ...PAGING,
  },
};

export function readerView(id: number | null, readers: ReadonlyMap<number, ReaderReference>) {
  return id === null ? null : { id, name: readers.get(id)?.name ?? String(id) };
}
