import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { post, remove } from '../../api/send.ts';
import type { Data } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { ASSET_FILTERS, askedIn } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Popover } from '../../parts/popover.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { withValues } from '../../router/address.ts';
import { address, href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { chosenColumns } from './asset-columns.tsx';
import { FieldInput } from './asset-kind.tsx';

type View = Data<'GET /asset-views'>[number];

/** Views of the list, by the names that operators gave them: each is an address, and so can be shared. */
export function SavedViews() {
  const { views: t } = texts.value.assets;
  const { answer, problem, reload } = useRead<{ data: readonly View[] }>('/asset-views');
  // Outlives the line of a view that was removed, for the undo.
  const removal = useAction();
  // Outlives the pop-up, as a click beside it closes it.
  const typing = useState('');
  const views = answer?.data ?? [];
  const shown = shownQuery();
  const current = views.find(({ query }) => query === shown);
  return (
    <Popover
      class="list-choice"
      label={t.title}
      face={
        <>
          <Icon name="filter" /> {current === undefined ? t.title : t.shown(current.name)}
        </>
      }
    >
      {(close) => (
        <div class="stack">
          {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
          {answer !== undefined && views.length === 0 && <p class="hint">{t.none}</p>}
          <ul class="view-list">
            {views.map((view) => (
              <ViewLine
                key={view.name}
                view={view}
                isCurrent={view === current}
                removal={removal}
                onOpen={close}
              />
            ))}
          </ul>
          {removal.problem !== null && <ProblemNote problem={removal.problem} />}
          {may('operator') && <SaveView views={views} query={shown} typing={typing} />}
        </div>
      )}
    </Popover>
  );
}

/** Filters, order and columns of the list on screen, in one order however they came about. */
function shownQuery(): string {
  const { query } = address.value;
  const asked = askedIn(query, ['q', 'sort', ...ASSET_FILTERS]);
  const values = withValues(new URLSearchParams(), { ...asked, column: ['name', ...chosenColumns()] });
  values.sort();
  return String(values);
}

function hrefOf(query: string): string {
  const values = new URLSearchParams(query);
  return href('assets', askedIn(values, [...values.keys()]));
}

function ViewLine({
  view,
  isCurrent,
  removal: { run, isBusy },
  onOpen,
}: {
  view: View;
  isCurrent: boolean;
  removal: ReturnType<typeof useAction>;
  onOpen: () => void;
}) {
  const { views: t } = texts.value.assets;
  const { name, query } = view;
  const removeView = async () => {
    await remove('/asset-views', { name });
    toast(t.removed(name), () => run(() => post('/asset-views', view)));
  };
  return (
    <li>
      <a class="plain" href={hrefOf(query)} aria-current={isCurrent ? 'true' : undefined} onClick={onOpen}>
        {name}
      </a>
      {may('operator') && (
        <button
          type="button"
          class="quiet"
          aria-label={t.remove(name)}
          title={t.remove(name)}
          disabled={isBusy}
          onClick={() => void run(removeView)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

const MOST_LETTERS = 100;

function SaveView({
  views,
  query,
  typing: [typed, setTyped],
}: {
  views: readonly View[];
  query: string;
  typing: [string, (typed: string) => void];
}) {
  const { views: t } = texts.value.assets;
  const name = typed.trim();
  const { run, isBusy, problem } = useAction();
  const save = async () => {
    const [title, body, action] = [t.replaceTitle(name), t.replaceBody, t.replace];
    const isKnown = views.some((view) => view.name === name && view.query !== query);
    if (isKnown && !(await confirm({ title, body, action }))) {
      return;
    }
    await post('/asset-views', { name, query });
    setTyped('');
    toast(t.saved(name));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(save);
      }}
    >
      <FieldInput
        {...{ id: 'view-names', label: t.name, value: typed, most: MOST_LETTERS, known: [] }}
        onValue={setTyped}
      />
      <button type="submit" class="secondary small" disabled={isBusy}>
        {t.save}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </form>
  );
}
