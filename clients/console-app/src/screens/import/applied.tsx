import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ImportOutcome, WholeImport } from '../../api/import.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Done, and the way to what was imported. */
export function Applied({ kept, counts }: { kept: WholeImport; counts: ImportOutcome['counts'] }) {
  const t = texts.value.imports;
  const list =
    kept.resource === 'asset'
      ? href('assets', { sort: '-updated_at' })
      : href('places', { sort: '-created_at' });
  return (
    <div class="note note-seen" role="status">
      <Icon name="check" />
      <p>{t.done(counts.created, counts.updated)}</p>
      <a class="small secondary" href={list}>
        {t.showThem}
      </a>
    </div>
  );
}
