import { useId, useState } from 'preact/hooks';
import { answerOf, MOST_NAMED, patch, read, readOfMany, remove } from '../../api/send.ts';
import type { Asset, Data, Rule, WholeRule } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { type List, readRows } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { OneByOneBar, useOneByOne } from '../../parts/one-by-one.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import { toast } from '../../parts/toast.tsx';
import { hrefWith, replaceAddress } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { ASSET_KIND, FieldInput, MOST_LETTERS } from './asset-kind.tsx';

/** How many rows can be ticked: their keys stand in the address. */
const MOST = 1_000;

/** What operators do with ticked assets, on whichever page: tick all that the list shows, and act on them. */
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
      <ExportAll keys={keys} />
      {may('admin') && <AddToRule keys={keys} />}
      <RetireAll keys={keys} />
      <SetField keys={keys} />
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

/** Exports them as the list does, in the columns of an import, one part after another. */
function ExportAll({ keys }: { keys: readonly string[] }) {
  const { export: word } = texts.value.imports;
  const { string: most } = MOST_NAMED;
  const work = useOneByOne();
  const exportAll = async () => {
    const pieces: string[] = [];
    const starts = Array.from({ length: Math.ceil(keys.length / most) }, (_, at) => at * most);
    const { isWhole } = await work.run(starts, async (start) => {
      const query = {
        external_key: keys.slice(Number(start), Number(start) + most),
        include_not_in_effect: true,
        separator: texts.value.common.csv.separator,
      };
      const file = await (await answerOf('GET', '/exports/assets', { query })).text();
      // Each part begins with the titles.
      pieces.push(pieces.length === 0 ? `\ufeff${file}` : file.replace(/^.*?\r?\n/, ''));
    });
    if (isWhole) {
      saveBlob('assets.csv', new Blob(pieces, { type: 'text/csv' }));
    }
  };
  return (
    <>
      <button type="button" class="secondary small" disabled={work.isBusy} onClick={() => void exportAll()}>
        {word}
      </button>
      <OneByOneBar
        of={Math.ceil(keys.length / most)}
        label={(done) => texts.value.assets.ticked.exported(Math.min(done * most, keys.length))}
        work={work}
      />
    </>
  );
}

/** Rules that name their assets take these, too; rules about all assets already have them. */
function AddToRule({ keys }: { keys: readonly string[] }) {
  const t = texts.value.assets.ticked;
  const [isAsked, setAsked] = useState(false);
  const { answer } = useRead<{ data: readonly Rule[] }>(isAsked ? '/rules' : null, { limit: 200 });
  const { run, isBusy, problem } = useAction();
  const add = async (id: string) => {
    const { data: listed } = await read<{ data: WholeRule }>(`/rules/${id}`);
    if (listed.asset_external_keys === null) {
      toast(t.ruleOfAll(listed.name));
      return;
    }
    const { data: rule } = await patch<{ data: WholeRule }>(`/rules/${id}`, {
      added_asset_external_keys: keys,
    });
    toast(t.inRule(rule.name, rule.asset_count ?? 0));
  };
  return (
    <label class="filter">
      <span class="unseen">{t.addToRule}</span>
      <select
        value=""
        disabled={isBusy}
        onFocus={() => setAsked(true)}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          void run(() => add(value));
        }}
      >
        <option value="">{t.addToRule}</option>
        {(answer?.data ?? [])
          .filter(({ kind }) => kind !== 'reader')
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
      {problem !== null && <ProblemNote problem={problem} />}
    </label>
  );
}

/** Writes the description of each, or a field of its metadata. */
function SetField({ keys }: { keys: readonly string[] }) {
  const { assets, items, metadata: words } = texts.value;
  const t = assets.ticked;
  const id = useId();
  const work = useOneByOne();
  const [typed, setTyped] = useState({ isDescription: false, name: '', value: '' });
  const { name, value, isDescription } = typed;
  const [isOpen, setOpen] = useState(false);
  const { answer } = useRead<{ data: Data<'GET /metadata-fields'> }>(isOpen ? '/metadata-fields' : null);
  const known = answer?.data ?? [];
  const setAll = async () => {
    let leftOut = 0;
    const { done } = await work.run(keys, async (key) => {
      const changes = await changesOf(String(key), typed);
      leftOut += changes === null ? 1 : 0;
    });
    toast(t.set(done - leftOut, leftOut));
  };
  return (
    <details class="field-filter" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t.setField}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void setAll();
        }}
      >
        <label class="filter">
          <span class="unseen">{t.setField}</span>
          <select
            value={String(isDescription)}
            onChange={(event) => setTyped({ ...typed, isDescription: event.currentTarget.value === 'true' })}
          >
            <option value="false">{words.title}</option>
            <option value="true">{items.description}</option>
          </select>
        </label>
        {!isDescription && (
          <FieldInput
            {...{ id: `${id}-names`, label: words.name, value: name, most: MOST_LETTERS.name }}
            known={known.map((field) => field.name)}
            onValue={(text) => setTyped({ ...typed, name: text })}
          />
        )}
        <FieldInput
          {...{ id: `${id}-values`, value, most: MOST_LETTERS.text }}
          label={isDescription ? items.description : words.valueOf(name)}
          known={isDescription ? [] : (known.find((field) => field.name === name)?.values ?? [])}
          onValue={(text) => setTyped({ ...typed, value: text })}
        />
        <button type="submit" class="secondary small" disabled={work.isBusy}>
          {t.setOf(keys.length)}
        </button>
      </form>
      <OneByOneBar of={keys.length} label={(done) => t.set(done, 0)} work={work} />
    </details>
  );
}

/** Changes one asset. @returns null if it is gone, or a browser cannot write its metadata. */
async function changesOf(
  key: string,
  { isDescription, name, value }: { isDescription: boolean; name: string; value: string },
): Promise<object | null> {
  const query = { external_key: key, include_not_in_effect: true };
  const { data } = await read<{ data: readonly Asset[] }>('/assets', { query });
  const [asset] = data;
  const draft = ASSET_KIND.draftOf(asset);
  if (asset === undefined || (draft.isMetadataFixed && !isDescription)) {
    return null;
  }
  const at = draft.metadata.findIndex((field) => field.name === name);
  const field = { name, text: value, stored: draft.metadata[at]?.stored };
  const metadata = at === -1 ? [...draft.metadata, field] : draft.metadata.with(at, field);
  const changes = isDescription
    ? { description: value }
    : { metadata: ASSET_KIND.valuesOf({ ...draft, metadata })['metadata'], updated_at: asset.updated_at };
  await patch(`/assets/${asset.id}`, changes);
  return changes;
}
