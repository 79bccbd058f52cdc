import { useEffect, useRef, useState } from 'preact/hooks';
import { read, remove } from '../../api/send.ts';
import type { Asset } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Rows that are ticked at once: their keys stand in the address. */
const MOST = 1_000;
const PAGE = 200;
/** Keys of a request, however long they are. */
const KEYS = 20;

interface Page {
  data: readonly Asset[];
  total_count: number;
}

/** What operators do with ticked assets, on whichever page: tick all that the list shows, and retire them. */
export function Ticked({
  keys,
  total,
  filters,
}: {
  keys: readonly string[];
  total: number;
  filters: readonly string[];
}) {
  const t = texts.value.assets.ticked;
  const ticking = useAction();
  const tickAll = async () => {
    const { query } = address.value;
    const asked = Object.fromEntries(['q', ...filters].map((name) => [name, query.getAll(name)]));
    const found: string[] = [];
    while (found.length < Math.min(total, MOST)) {
      const { data } = await read<Page>('/assets', {
        query: { ...asked, include_deleted: null, sort: 'external_key', limit: PAGE, offset: found.length },
      });
      if (data.length === 0) {
        break;
      }
      found.push(...data.map(({ external_key: key }) => key));
    }
    replaceAddress(hrefWith({ pick: found }));
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

/** One after another, so that it can be stopped; what is done then stays done. */
function RetireAll({ keys }: { keys: readonly string[] }) {
  const { retire, retireBody, ticked: t } = texts.value.assets;
  const [done, setDone] = useState(0);
  const { run, isBusy, problem } = useAction();
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  useEffect(() => stop, []);
  const retireAll = async () => {
    isStopped.current = false;
    setDone(0);
    let count = 0;
    for (let at = 0; at < keys.length; at += KEYS) {
      const { data } = await read<Page>('/assets', {
        query: { external_key: keys.slice(at, at + KEYS), include_not_in_effect: true },
      });
      for (const { id } of data) {
        if (isStopped.current) {
          toast(t.retired(count));
          return;
        }
        await remove(`/assets/${id}`);
        count += 1;
        setDone(count);
      }
    }
    toast(t.retired(count));
    replaceAddress(hrefWith({ pick: null }));
  };
  const ask = async () => {
    const title = t.retireTitle(keys.length);
    if (await confirm({ title, body: retireBody, action: retire, isDangerous: true })) {
      await run(retireAll);
    }
  };
  return (
    <>
      <button type="button" class="danger small" disabled={isBusy} onClick={() => void ask()}>
        {retire}
      </button>
      {isBusy && (
        <>
          <Progress label={t.retired(done)} done={done} of={keys.length} />
          <button type="button" class="secondary small" onClick={stop}>
            {t.stop}
          </button>
        </>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}
