import { CSV_COLUMNS } from '../api/answers.ts';
import { post } from '../api/send.ts';
import type { Asset, Place } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { go, href } from '../router/router.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { Instant } from './instant.tsx';
import { ProblemNote } from './problem-note.tsx';
import { toast } from './toast.tsx';

/** Since when a row is retired. Its key and tags are free: it comes back as a new one that has them. */
export function Retired({ screen, row }: { screen: 'asset' | 'place'; row: Asset | Place }) {
  const isAsset = screen === 'asset';
  const { retired } = isAsset ? texts.value.assets : texts.value.places;
  const { retiredHint, restore } = texts.value[screen];
  const { run, isBusy, problem } = useAction();
  const create = async () => {
    const { data } = await post<{ data: { id: number; name: string } }>(
      isAsset ? '/assets' : '/locations',
      valuesOf(row, CSV_COLUMNS[isAsset ? 'asset' : 'location']),
    );
    toast(texts.value.items.created(data.name));
    go(href(screen, data.id));
  };
  return (
    <section class="card stack retired" aria-label={retired}>
      <p>
        {retired} <Instant at={row.deleted_at} isLong />. {retiredHint}
      </p>
      {problem !== null && <ProblemNote problem={problem} />}
      {may('operator') && (
        <div class="buttons">
          <button type="button" class="secondary" disabled={isBusy} onClick={() => void run(create)}>
            {restore}
          </button>
        </div>
      )}
    </section>
  );
}

/** Of the columns that a CSV file has, so that a new one comes back, too. */
function valuesOf(row: Asset | Place, columns: readonly string[]): object {
  const values: Readonly<Record<string, unknown>> = {
    ...row,
    tags: row.tags.map(({ tag_type, value }) => ({ tag_type, value })),
  };
  const given = columns.filter((column) => values[column] !== null);
  return Object.fromEntries(given.map((column) => [column, values[column]]));
}
