import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { organizationId } from '../../api/organization.ts';
import type { Asset, Reader } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import type { TreeModel } from '../../live/tree-model.ts';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';

type Name = keyof Texts['firstSteps']['steps'];

interface Step {
  name: Name;
  isDone: boolean;
  /** Null: an administrator has to do it. */
  href: string | null;
}

const LOOKED_AT = 200;

/** Organizations whose steps somebody does not want to see on this device any more. */
const HIDDEN = 'tagtrail.without-steps';
const hidden = signal((localStorage.getItem(HIDDEN) ?? '').split(',').map(Number));

function hideSteps(organization: number): void {
  hidden.value = [...hidden.value, organization];
  localStorage.setItem(HIDDEN, hidden.value.join());
}

/** From nothing to an asset that is seen, for those who may set things up: what is there ticks it off. */
export function FirstSteps({ model }: { model: TreeModel }) {
  const organization = organizationId.value;
  return organization === null || hidden.value.includes(organization) || !may('operator') ? null : (
    <StepList key={organization} organization={organization} model={model} />
  );
}

function StepList({ organization, model }: { organization: number; model: TreeModel }) {
  const t = texts.value.firstSteps;
  const steps = useSteps(model);
  const done = steps?.filter(({ isDone }) => isDone).length;
  const isOver = done !== undefined && done === steps?.length;
  useEffect(() => {
    if (isOver) {
      hideSteps(organization);
    }
  }, [isOver]);
  return steps === null || isOver ? null : (
    <section class="card first-steps" aria-labelledby="first-steps">
      <div class="section-head">
        <h2 id="first-steps">{t.title(done ?? 0, steps.length)}</h2>
        <button type="button" class="small secondary" onClick={() => hideSteps(organization)}>
          {t.hide}
        </button>
      </div>
      <ol>
        {steps.map(({ name, isDone, href: to }) => (
          <li key={name} class={isDone ? 'is-done' : undefined}>
            <Icon name={isDone ? 'check' : 'forward'} />
            <div>
              {isDone || to === null ? <strong>{t.steps[name]}</strong> : <a href={to}>{t.steps[name]}</a>}
              {isDone && <span class="unseen"> ({t.done})</span>}
              {!isDone && <p class="hint">{to === null ? t.byAdmin : t.hints[name]}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Null until all of them are known. */
function useSteps(model: TreeModel): readonly Step[] | null {
  const isAdmin = may('admin');
  const readers = useRead<Found<Reader>>('/readers', { limit: LOOKED_AT }).answer;
  const assets = useRead<Found<Asset>>('/assets', { sort: '-updated_at', limit: LOOKED_AT }).answer;
  const rules = useRead<Found<unknown>>('/rules', { limit: 1 }).answer;
  const users = useRead<Found<unknown>>(isAdmin ? '/users' : null, { limit: 2 }).answer;
  const invitations = useRead<Found<unknown>>(isAdmin ? '/invitations' : null, { limit: 1 }).answer;
  if (readers === undefined || assets === undefined || rules === undefined) {
    return null;
  }
  if (isAdmin && (users === undefined || invitations === undefined)) {
    return null;
  }
  const [reader] = readers.data;
  const isPlaced = readers.data.some(({ antennas }) =>
    antennas.some(({ location_external_key: key }) => key !== null),
  );
  const byAdmin = (to: string) => (isAdmin ? to : null);
  return [
    { name: 'places', isDone: model.size > 0, href: href('places', { open: 'new' }) },
    { name: 'reader', isDone: readers.total_count > 0, href: byAdmin(href('readers', 'new')) },
    {
      name: 'antennas',
      isDone: isPlaced,
      href: byAdmin(reader === undefined ? href('readers') : href('readers', reader.id)),
    },
    {
      name: 'assets',
      isDone: assets.data.some(({ tags }) => tags.length > 0),
      href: href('assets', { open: 'new' }),
    },
    { name: 'move', isDone: model.assets > 0, href: href('inbox') },
    { name: 'rule', isDone: rules.total_count > 0, href: byAdmin(href('rules', 'new')) },
    ...(isAdmin
      ? [
          {
            name: 'person' as const,
            isDone: (users?.total_count ?? 0) > 1 || (invitations?.total_count ?? 0) > 0,
            href: href('settings', 'users'),
          },
        ]
      : []),
  ];
}

interface Found<Row> {
  data: readonly Row[];
  total_count: number;
}
