import { JsonText } from '../../../base/json/json-text.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { KeptImport } from '../../../domain/master-data/kept-imports/find-import.ts';

export function importView(kept: KeptImport) {
  return {
    ...{ id: kept.id, resource: kept.resource, file_name: kept.file_name, bytes: kept.bytes },
    state: kept.work ?? kept.state,
    done_rows: kept.done_rows ?? 0,
    rows: kept.rows,
    created_at: wireTime(kept.created_at),
    checked_at: wireTimeOrNull(kept.checked_at),
    applied_at: wireTimeOrNull(kept.applied_at),
  };
}

/** While it is worked on, what was found before is out of date. */
export function wholeImportView(kept: KeptImport) {
  const isShown = kept.outcome !== null && kept.work === null;
  return { ...importView(kept), outcome: isShown ? new JsonText(kept.outcome ?? 'null') : null };
}
