import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../../../ui/parts/icon.tsx';
import { patch, remove } from '../../api/send.ts';
import type { PlanScale, PlanWithPlaces, Point, Reader } from '../../api/types.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { noteWrite } from '../../api/writes.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { confirm } from '../../parts/confirm.tsx';
import { DecimalField, isDecimal } from '../../parts/field.tsx';
import { followPointer } from '../../parts/follow-pointer.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { FormSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { href, leaveFor } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { shownAntenna } from '../readers/shown-antenna.ts';
import { askForPosition } from './ask-for-position.ts';
import { type PlanDraft, PlanFields, SHOWN_FIELDS } from './plan-fields.tsx';
import { type FreeAntenna, pinKey, rounded } from './shapes.ts';
import type { Draft } from './use-draft.ts';
import { SCALE, type useOutline } from './use-outline.ts';

/** Actions on the plan and on the chosen pin, and lists of what is not on the plan yet. */
export function EditPanel({
  plan,
  model,
  draft,
  action,
  place,
  antenna,
  outlining,
  onOutline,
  onMeasure,
  onSave,
  onCancel,
  onPut,
  onDrop,
  onPin,
  onDropAntenna,
}: {
  plan: PlanWithPlaces;
  model: TreeModel;
  draft: Draft;
  action: Action;
  /** The chosen place, or null if `antenna` or nothing is chosen. */
  place: Place | null;
  antenna: string | null;
  outlining: ReturnType<typeof useOutline>;
  onOutline: (id: number) => void;
  onMeasure: () => void;
  onSave: () => void;
  onCancel: () => void;
  onPut: (place: Place) => void;
  onDrop: (place: Place, x: number, y: number) => void;
  onPin: (antenna: FreeAntenna) => void;
  onDropAntenna: (antenna: FreeAntenna, x: number, y: number) => void;
}) {
  const t = texts.value.plan;
  const [isDetailed, setDetailed] = useState(false);
  const { outline } = outlining;
  const nameOf = (key: string) => {
    const pin = draft.pins.get(key);
    return pin === undefined ? '' : t.antenna(pin.readerName, pin.word);
  };
  return (
    <aside class="plan-panel card stack" aria-label={t.edit}>
      <Saving draft={draft} action={action} onSave={onSave} onCancel={onCancel} />
      {outline?.id === SCALE && (
        <Measuring
          points={outline.points}
          onScale={(scale) => {
            draft.setScale(scale);
            outlining.cancel();
          }}
          onCancel={outlining.cancel}
        />
      )}
      {outline !== null && outline.id !== SCALE && (
        <Drawing
          name={model.place(outline.id)?.name ?? ''}
          points={outline.points.length}
          onEnd={outlining.end}
          onCancel={outlining.cancel}
        />
      )}
      {outline === null && place !== null && (
        <ChosenPin
          name={place.name}
          code={place.key}
          onOutline={() => onOutline(place.id)}
          onRemove={() => draft.set(place.id, null)}
        />
      )}
      {outline === null && antenna !== null && (
        <ChosenPin name={nameOf(antenna)} onRemove={() => draft.pin(antenna, null)} />
      )}
      {outline?.id !== SCALE && (
        <ScaleOf plan={plan} draft={draft} isDrawing={outline !== null} onMeasure={onMeasure} />
      )}
      <UnplacedPlaces model={model} isPlaced={(id) => draft.shapes.has(id)} onPut={onPut} onDrop={onDrop} />
      <UnplacedAntennas isPinned={(key) => draft.pins.has(key)} onPut={onPin} onDrop={onDropAntenna} />
      <button
        type="button"
        class="secondary small"
        disabled={draft.isChanged}
        onClick={() => setDetailed(true)}
      >
        {t.details}
      </button>
      {isDetailed && <PlanDetailsSheet plan={plan} onClose={() => setDetailed(false)} />}
    </aside>
  );
}

/** Buttons to save or drop the changes, and why they could not be saved. */
function Saving({
  draft,
  action,
  onSave,
  onCancel,
}: {
  draft: Draft;
  action: Action;
  onSave: () => void;
  onCancel: () => void;
}) {
  const isOutdated = action.problem?.type === 'conflict';
  return (
    <>
      <div class="buttons">
        <button type="button" class="primary" disabled={action.isBusy || !draft.isChanged} onClick={onSave}>
          {texts.value.common.save}
        </button>
        <button type="button" class="secondary" disabled={!draft.canUndo} onClick={draft.undo}>
          {texts.value.common.undo}
        </button>
        <button type="button" class="secondary" onClick={onCancel}>
          {draft.isChanged ? texts.value.common.cancel : texts.value.common.close}
        </button>
      </div>
      {action.problem !== null && <ProblemNote problem={action.problem} />}
      {isOutdated && (
        <button type="button" class="secondary" onClick={() => noteWrite('/plans')}>
          {texts.value.plan.showTheirs}
        </button>
      )}
    </>
  );
}

/** An outline that is being drawn. */
function Drawing({
  name,
  points,
  onEnd,
  onCancel,
}: {
  /** The place that it is of. */
  name: string;
  points: number;
  onEnd: () => void;
  onCancel: () => void;
}) {
  const t = texts.value.plan;
  return (
    <section class="stack" aria-label={t.outline}>
      <p role="status">{t.drawing(name, points)}</p>
      <div class="buttons">
        <button type="button" class="primary small" disabled={points < 3} onClick={onEnd}>
          {t.endOutline}
        </button>
        <button type="button" class="secondary small" onClick={onCancel}>
          {texts.value.common.cancel}
        </button>
      </div>
    </section>
  );
}

/** The chosen place or antenna. */
function ChosenPin({
  name,
  code,
  onOutline,
  onRemove,
}: {
  name: string;
  /** External key; antennas have none. */
  code?: string;
  /** Antennas have no outline. */
  onOutline?: () => void;
  onRemove: () => void;
}) {
  const t = texts.value.plan;
  return (
    <section class="stack" aria-label={name}>
      <p>
        <span class="title">{name}</span>
        {code !== undefined && <span class="mono faint"> {code}</span>}
      </p>
      <p class="hint">{t.pinKeys}</p>
      <div class="buttons">
        {onOutline !== undefined && (
          <button type="button" class="secondary small" onClick={onOutline}>
            {t.outline}
          </button>
        )}
        <button type="button" class="secondary small" onClick={onRemove}>
          {t.takeOff}
        </button>
      </div>
    </section>
  );
}

/** The scale: set, changed or removed. */
function ScaleOf({
  plan,
  draft,
  isDrawing,
  onMeasure,
}: {
  plan: PlanWithPlaces;
  draft: Draft;
  isDrawing: boolean;
  onMeasure: () => void;
}) {
  const t = texts.value.plan;
  const hint = plan.location === null ? t.scaleOfNone : t.scaleHint;
  return (
    <section class="stack" aria-label={t.scale}>
      <h2>{t.scale}</h2>
      <p class="hint">{draft.scale === null ? hint : t.scaleIs(draft.scale.metres)}</p>
      <div class="buttons">
        <button
          type="button"
          class="secondary small"
          disabled={plan.location === null || isDrawing}
          onClick={onMeasure}
        >
          {draft.scale === null ? t.setScale : t.setScaleAgain}
        </button>
        {draft.scale !== null && (
          <button type="button" class="secondary small" onClick={() => draft.setScale(null)}>
            {t.removeScale}
          </button>
        )}
      </div>
    </section>
  );
}

/** A plan's name and location, and its deletion. */
function PlanDetailsSheet({ plan, onClose }: { plan: PlanWithPlaces; onClose: () => void }) {
  const t = texts.value.plan;
  const [draft, setDraft] = useState<PlanDraft>({ name: plan.name, location: plan.location });
  const action = useAction();
  const { run, isBusy, problem } = action;
  const save = async () => {
    const saved = await askForPosition((isMeant) =>
      patch(`/plans/${plan.id}`, {
        ...{ name: draft.name.trim(), location_id: draft.location?.id ?? null },
        without_position: isMeant,
      }),
    );
    if (saved !== null) {
      toast(texts.value.common.saved);
      onClose();
    }
  };
  const drop = async () => {
    const question = { title: t.deleteTitle(plan.name), body: t.deleteBody, action: t.delete };
    if (await confirm({ ...question, isDangerous: true })) {
      await run(async () => {
        const isDone = await askForPosition(async (isMeant) => {
          await remove(`/plans/${plan.id}`, { without_position: isMeant });
          return true;
        });
        if (isDone === null) {
          return;
        }
        toast(t.deleted(plan.name));
        leaveFor(href('plan'));
      });
    }
  };
  return (
    <FormSheet
      title={t.details}
      onClose={onClose}
      isChanged={draft.name !== plan.name || draft.location?.id !== plan.location?.id}
      action={action}
      shown={SHOWN_FIELDS}
      others={
        <button type="button" class="danger" disabled={isBusy} onClick={drop}>
          {t.delete}
        </button>
      }
      onSubmit={save}
    >
      <PlanFields draft={draft} problem={problem} onDraft={setDraft} />
    </FormSheet>
  );
}

/** Metres. */
const DISTANCE = [0.1, 10_000] as const;

/** Two points are set on the plan; then their distance is typed. */
function Measuring({
  points,
  onScale,
  onCancel,
}: {
  points: readonly Point[];
  onScale: (scale: PlanScale) => void;
  onCancel: () => void;
}) {
  const t = texts.value.plan;
  const [metres, setMetres] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const [from, to] = points;
  const isMeasured = from !== undefined && to !== undefined;
  useEffect(() => {
    if (isMeasured) {
      form.current?.querySelector('input')?.focus();
    }
  }, [isMeasured]);
  return (
    <section class="stack" aria-label={t.scale}>
      <p role="status">{t.measuring(points.length)}</p>
      <form
        ref={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isMeasured) {
            onScale({ points: [rounded(from), rounded(to)], metres: Number(metres) });
          }
        }}
      >
        {isMeasured && (
          <DecimalField label={t.distance} range={DISTANCE} required value={metres} onValue={setMetres} />
        )}
        <div class="buttons">
          <button type="submit" class="primary small" disabled={!isMeasured || !isDecimal(metres, DISTANCE)}>
            {t.setScale}
          </button>
          <button type="button" class="secondary small" onClick={onCancel}>
            {texts.value.common.cancel}
          </button>
        </div>
      </form>
    </section>
  );
}

/** More are found by typing. */
const MOST = 100;

function UnplacedPlaces({
  model,
  isPlaced,
  onPut,
  onDrop,
}: {
  model: TreeModel;
  isPlaced: (id: number) => boolean;
  onPut: (place: Place) => void;
  onDrop: (place: Place, x: number, y: number) => void;
}) {
  const t = texts.value.plan;
  const [text, setText] = useState('');
  const left = model.search(text.trim()).filter(({ id }) => !isPlaced(id));
  const rows = left.slice(0, MOST).map((place) => ({
    ...{ id: place.id, name: place.name, hint: place.parent?.name ?? place.key, item: place },
  }));
  return (
    <UnplacedList
      title={t.unplaced}
      search={texts.value.now.search}
      hint={left.length === 0 && text === '' ? t.allPlaced : t.unplacedHint}
      icon="place"
      {...{ rows, text, onText: setText, onPut, onDrop, more: left.length - rows.length }}
    />
  );
}

/** Readers whose antennas are listed; others are found by typing. */
const MOST_READERS = 50;

function UnplacedAntennas({
  isPinned,
  onPut,
  onDrop,
}: {
  isPinned: (key: string) => boolean;
  onPut: (antenna: FreeAntenna) => void;
  onDrop: (antenna: FreeAntenna, x: number, y: number) => void;
}) {
  const t = texts.value.plan;
  const [text, setText] = useState('');
  const { answer } = useRead<{ data: readonly Reader[]; total_count: number }>('/readers', {
    q: text.trim(),
    limit: MOST_READERS,
  });
  const readers = answer?.data ?? [];
  const left = readers.flatMap(({ id, name, antennas }) =>
    antennas
      .map((antenna) => ({
        ...antenna,
        key: pinKey(id, antenna.port),
        readerName: name,
        word: shownAntenna(antenna),
      }))
      .filter(({ key }) => !isPinned(key)),
  );
  const rows = left.slice(0, MOST).map(({ key, word, readerName, location_name, location_external_key }) => ({
    id: key,
    name: t.antenna(readerName, word),
    hint: location_name ?? location_external_key ?? '',
    item: { key, readerName, word },
  }));
  const isNone = answer !== undefined && left.length === 0 && text === '';
  const isCut = (answer?.total_count ?? 0) > readers.length || left.length > MOST;
  return (
    <UnplacedList
      title={t.antennas}
      search={t.findReader}
      hint={isNone ? t.allPinned : isCut ? t.antennasCut : t.antennasHint}
      icon="reader"
      {...{ rows, text, onText: setText, onPut, onDrop, more: 0 }}
    />
  );
}

interface Row<Item> {
  id: number | string;
  name: string;
  hint: string;
  item: Item;
}

/** Items that are not on the plan: each is dragged onto it, or put into its middle by a click or Enter. */
function UnplacedList<Item>({
  title,
  search,
  hint,
  icon,
  rows,
  more,
  text,
  onText,
  onDrop,
  onPut,
}: {
  title: string;
  /** Label of the search field. */
  search: string;
  hint: string;
  icon: IconName;
  rows: readonly Row<Item>[];
  /** Rows that are not listed. */
  more: number;
  text: string;
  onText: (text: string) => void;
  onDrop: (item: Item, x: number, y: number) => void;
  onPut: (item: Item) => void;
}) {
  const [ghost, setGhost] = useState<{ name: string; x: number; y: number } | null>(null);
  const drag = (event: PointerEvent, { name, item }: Row<Item>) =>
    followPointer(event, {
      onMove: (_dx, _dy, { clientX, clientY }) => setGhost({ name, x: clientX, y: clientY }),
      onDrop: ({ clientX, clientY }) => onDrop(item, clientX, clientY),
      onEnd: () => setGhost(null),
    });
  return (
    <section class="unplaced" aria-label={title}>
      <h2>{title}</h2>
      <p class="hint">{hint}</p>
      <div class="field">
        <input
          type="search"
          aria-label={search}
          placeholder={search}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </div>
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              data-place={row.id}
              onClick={(event) => event.defaultPrevented || onPut(row.item)}
              onPointerDown={(event) => event.pointerType !== 'touch' && drag(event, row)}
            >
              <span
                class="unplaced-grip"
                aria-hidden="true"
                onPointerDown={(event) => event.pointerType === 'touch' && drag(event, row)}
              >
                <Icon name={icon} />
              </span>
              <span class="title">{row.name}</span>
              <span class="hint">{row.hint}</span>
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="hint">{texts.value.plan.andMore(more)}</p>}
      {ghost !== null && (
        <span class="pin pin-ghost" style={{ left: `${ghost.x}px`, top: `${ghost.y}px` }} aria-hidden="true">
          <span class="pin-name">{ghost.name}</span>
        </span>
      )}
    </section>
  );
}
