import { readOfMany, remove } from '../../api/send.ts';
import type { Asset } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { type List, readRows } from '../../api/use-list.ts';
import { confirm } from '../../parts/confirm.tsx';
import { OneByOneBar, useOneByOne } from '../../parts/one-by-one.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Rows that are ticked at once: their keys stand in the address. */
const MOST = 1_000;

/** What operators do with ticked assets, on whichever page: tick all that the list shows, and retire them. */
export function Ticked({ keys, list: { total = 0, query } }: { keys: readonly string[]; list: List<Asset> }) {
  const t = texts.value.assets.ticked;
  const ticking = useAction();
  const tickAll = async () => {
    const live = { ...query, include_deleted: null, sort: 'external_key' };
    const { rows } = await readRows<Asset>('/assets', live, MOST);
    replaceAddress(hrefWith({ pick: rows.map(({ external_key: key }) => key) }));
  };
  return (
    <section class="ticked" aria-label={t.count(keys.length)}>
      <p>{t.count(keys.length)}</p>
      {total > keys.length && keys.length < MOST && (
        <button
          type="button"
          class="secondary small"
          disabled={ticking.isBusy}
          onClick={() => void ticking.run(tickAll)}
        >
          {t.all(Math.min(total, MOST))}
        </button>
      )}
      <button type="button" class="secondary small" onClick={() => replaceAddress(hrefWith({ pick: null }))}>
        {t.none}
      </button>
      <RetireAll keys={keys} />
      {ticking.problem !== null && <ProblemNote problem={ticking.problem} />}
    </section>
  );
}

function RetireAll({ keys }: { keys: readonly string[] }) {
  const { retire, retireBody, ticked: t } = texts.value.assets;
  const work = useOneByOne();
  const ask = async () => {
    const title = t.retireTitle(keys.length);
    if (await confirm({ title, body: retireBody, action: retire, isDangerous: true })) {
      const { done, isWhole } = await work.run(idsOf(keys), (id) => remove(`/assets/${id}`));
      toast(t.retired(done));
      if (isWhole) {
        replaceAddress(hrefWith({ pick: null }));
      }
    }
  };
  return (
    <>
      <button type="button" class="danger small" disabled={work.isBusy} onClick={() => void ask()}>
        {retire}
      </button>
      <OneByOneBar of={keys.length} label={t.retired} work={work} />
    </>
  );
}

async function* idsOf(keys: readonly string[]): AsyncGenerator<number> {
  const query = { external_key: keys, include_not_in_effect: true };
  const { data } = await readOfMany<{ data: readonly Asset[] }>('/assets', { query });
  yield* data.map(({ id }) => id);
}
