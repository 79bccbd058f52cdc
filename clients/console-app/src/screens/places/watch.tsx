import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post, readOfMany } from '../../api/send.ts';
import type { Data } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { DurationField, secondsOf, type TypedDuration, typedDuration } from '../../parts/duration-field.tsx';
import { Select } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { Progress } from '../../parts/progress.tsx';
import { FormSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, href, hrefWith, leaveFor } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

type Watch = Data<'GET /watches'>[number];

const MODES = ['portal', 'continuous'] as const;

/** How the places are watched for which somebody has said it, by id and by key; of the others nothing. */
export function useWatches(named: { location_id?: readonly number[]; external_key?: readonly string[] }) {
  const isAsked = Object.values(named).some((of) => of.length > 0);
  const { answer } = useRead<{ data: readonly Watch[] }>(isAsked ? '/watches' : null, named, readOfMany);
  const watches = answer?.data ?? [];
  return {
    isKnown: answer !== undefined,
    byId: new Map(watches.map((watch) => [watch.location_id, watch])),
    byKey: new Map(watches.map((watch) => [watch.external_key, watch])),
  };
}

/** A room, and after what time its things are missed; a gate otherwise. */
export function watchWords(watch: Watch | undefined): string {
  const t = texts.value.watching;
  if (watch?.mode !== 'continuous') {
    return t.gate;
  }
  const { max_gap_seconds: gap } = watch;
  return gap === null ? t.roomLearning : t.room(durationText(gap * 1_000));
}

/** How a place is watched, and for administrators the way to say it. */
export function WatchLine({ place }: { place: { id: number; external_key: string } }) {
  const t = texts.value.watching;
  const { isKnown, byId } = useWatches({ location_id: [place.id] });
  const watch = byId.get(place.id);
  return !isKnown ? null : (
    <section class="stack" aria-label={t.title}>
      <h3>{t.title}</h3>
      <p class="hint">
        {watchWords(watch)}. {t.means[watch?.mode ?? 'portal']}
      </p>
      {may('admin') && (
        <div class="buttons">
          <a class="secondary small" href={href('places', { watch: place.external_key })}>
            {t.change}
          </a>
        </div>
      )}
    </section>
  );
}

/** `#/places?watch=DOCK-1&watch=DOCK-2`: says of places whether things pass them or stay there. */
export function WatchSheet() {
  const t = texts.value.watching;
  const keys = address.value.query.getAll('watch');
  const only = keys.length === 1 ? (keys[0] ?? '') : null;
  const { isKnown, byKey } = useWatches({ external_key: only === null ? [] : [only] });
  const close = () => leaveFor(hrefWith({ watch: null }));
  return keys.length === 0 || !may('admin') || (only !== null && !isKnown) ? null : (
    <WatchForm
      key={keys.join()}
      keys={keys}
      title={only === null ? t.titleOf(keys.length) : t.titleOfOne(only)}
      stored={only === null ? undefined : byKey.get(only)}
      onClose={close}
    />
  );
}

interface Draft extends Pick<Watch, 'mode' | 'coverage'> {
  gap: TypedDuration;
}

function WatchForm({
  keys,
  title,
  stored,
  onClose,
}: {
  keys: readonly string[];
  title: string;
  stored: Watch | undefined;
  onClose: () => void;
}) {
  const t = texts.value.watching;
  const [first] = useState<Draft>({
    mode: stored?.mode ?? 'portal',
    gap: typedDuration(stored?.is_learned === true ? null : (stored?.max_gap_seconds ?? null)),
    coverage: stored?.coverage ?? 'all',
  });
  const [draft, setDraft] = useState(first);
  const [done, setDone] = useState<readonly string[]>([]);
  const action = useAction();
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  const isRoom = draft.mode === 'continuous';
  const save = async () => {
    // Those that are done stay so: what is left is tried again.
    for (const key of keys.filter((each) => !done.includes(each))) {
      if (isClosed.current) {
        return;
      }
      await setWatch(key, draft.mode, isRoom ? secondsOf(draft.gap) : null, draft.coverage);
      setDone((before) => [...before, key]);
    }
    toast(texts.value.common.saved);
    onClose();
  };
  return (
    <FormSheet
      title={title}
      onClose={onClose}
      isForm
      isChanged={JSON.stringify(draft) !== JSON.stringify(first)}
      action={action}
      shown={['max_gap_seconds']}
      onSubmit={save}
    >
      <Select
        label={t.question}
        hint={t.means[draft.mode]}
        options={MODES.map((value) => ({ value, word: t.modes[value] }))}
        value={draft.mode}
        onValue={(mode) => setDraft({ ...draft, mode })}
      />
      {isRoom && <RoomFields draft={draft} problem={action.problem} onDraft={setDraft} />}
      <p class="hint">{t.fromNow}</p>
      {action.isBusy && keys.length > 1 && <Progress label={title} done={done.length} of={keys.length} />}
    </FormSheet>
  );
}

/** How often what is in a room is read, and by which antennas. */
function RoomFields({
  draft,
  problem,
  onDraft,
}: {
  draft: Draft;
  problem: ApiError | null;
  onDraft: (draft: Draft) => void;
}) {
  const t = texts.value.watching;
  return (
    <>
      <DurationField
        label={t.gap}
        hint={t.gapHint}
        fault={faultOf(problem, 'max_gap_seconds')}
        typed={draft.gap}
        onTyped={(gap) => onDraft({ ...draft, gap })}
      />
      <Select
        label={t.coverage}
        hint={t.coverageHint}
        options={(['all', 'any'] as const).map((value) => ({ value, word: t.coverages[value] }))}
        value={draft.coverage}
        onValue={(coverage) => onDraft({ ...draft, coverage })}
      />
    </>
  );
}

function setWatch(
  key: string,
  mode: Watch['mode'],
  gap: number | null = null,
  coverage: Watch['coverage'] = 'all',
): Promise<unknown> {
  return post('/watches', { location_external_key: key, mode, max_gap_seconds: gap, coverage });
}

/** For each place of a new reader. Without an answer it stays as it is. */
export function WatchQuestions({ places }: { places: readonly { key: string; name: string }[] }) {
  const t = texts.value.watching;
  const { isKnown, byKey } = useWatches({ external_key: places.map(({ key }) => key) });
  const { run, problem } = useAction();
  const say = async (key: string, mode: Watch['mode']) => {
    if (await run(() => setWatch(key, mode))) {
      toast(texts.value.common.saved);
    }
  };
  return places.length === 0 || !isKnown || !may('admin') ? null : (
    <section class="card stack" aria-labelledby="watching">
      <h2 id="watching">{t.title}</h2>
      <p class="hint">{t.wizardHint}</p>
      {problem !== null && <ProblemNote problem={problem} />}
      {places.map(({ key, name }) => {
        const mode = byKey.get(key)?.mode ?? 'portal';
        return (
          <Select
            key={key}
            label={t.questionOf(name)}
            hint={t.means[mode]}
            options={MODES.map((value) => ({ value, word: t.modes[value] }))}
            value={mode}
            onValue={(chosen) => void say(key, chosen)}
          />
        );
      })}
    </section>
  );
}

/** Where a rule about what is not read any more can raise nothing, because nothing is missed at any place of it. */
export function UnwatchedNote({ within }: { within: string | null }) {
  const t = texts.value.watching;
  const { answer } = useRead<{ data: Data<'GET /watches/counts'> }>('/watches/counts', {
    external_key: within,
  });
  const counted = answer?.data;
  if (counted === undefined || counted.with_antennas > 0) {
    return null;
  }
  const to = counted.continuous === 0 ? 'places' : 'readers';
  return (
    <div class="note note-problem" role="status">
      <p>
        {counted.continuous === 0 ? t.noRoom : t.noAntenna}{' '}
        <a class="plain" href={href(to)}>
          {texts.value.screens[to]}
        </a>
      </p>
    </div>
  );
}
