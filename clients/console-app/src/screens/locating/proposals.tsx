import { Icon } from '../../../../ui/parts/icon.tsx';
import { post } from '../../api/send.ts';
import type { Proposal } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { queryOf, usualWanted } from './wanted.ts';

/** Milliseconds after which a running trial is asked for again. */
const AGAIN = 5_000;

/**
 * Where assets went back and forth in the last day, and what strength would have made of it, to be set with one click.
 *
 * @param isWhole says so, too, if there is nothing to propose.
 */
export function Proposals({
  among = null,
  isWhole = false,
  since = null,
}: {
  /** Only if one of these places takes part, by their keys; null for all. */
  among?: readonly (string | null)[] | null;
  isWhole?: boolean;
  /** When the last setting began that keeps its places from being looked at; null without any. */
  since?: string | null;
}) {
  const t = texts.value.locating;
  const { answer, problem, reload } = useRead<{ data: readonly Proposal[] }>('/locating/proposals');
  const all = answer?.data ?? [];
  useRepeat(() => {
    if (all.some(({ tried }) => tried === null)) {
      reload();
    }
  }, AGAIN);
  const shown =
    among === null
      ? all
      : all.filter(({ pair }) => pair.some(({ external_key: key }) => among.includes(key)));
  if (shown.length === 0 && !isWhole) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="locating-proposals">
      <h2 id="locating-proposals">{t.flapping}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer !== undefined && shown.length === 0 && (
        <p class="hint">
          {since === null ? (
            t.noFlapping
          ) : (
            <>
              {t.noFlappingByEvery} <Instant at={since} />.
            </>
          )}
        </p>
      )}
      {shown.length > 0 && (
        <>
          <p class="hint">{t.flappingHint}</p>
          <ul class="lines">
            {shown.map((proposal) => (
              <Proposed key={proposal.location?.id ?? 0} proposal={proposal} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Proposed({ proposal }: { proposal: Proposal }) {
  const { location, pair, moves, returns, tried, others, others_count: count } = proposal;
  const t = texts.value.locating;
  const { run, isBusy, problem } = useAction();
  const [a, b] = pair;
  const key = location?.external_key ?? null;
  const where = location?.name ?? t.everywhere;
  const set = () =>
    run(() => post('/locating', { location_external_key: key, procedure: 'strength' })).then((isSet) => {
      if (isSet) {
        toast(t.used(where));
      }
    });
  return (
    <li>
      <div>
        <p class="locating-pair">
          <a class="title" href={href('place', a.id)}>
            {a.name}
          </a>
          <Icon name="up-down" />
          <a class="title" href={href('place', b.id)}>
            {b.name}
          </a>
        </p>
        <p>{tried === null ? t.flaps(moves, returns) : t.wouldHaveBeen(tried.present, tried.proposed)}</p>
        {count > 0 && (
          <p class="hint">
            {t.alsoChanges(
              others.map(({ name }) => name),
              count,
            )}
          </p>
        )}
        {problem !== null && <ProblemNote problem={problem} />}
      </div>
      {may('admin') && (
        <div class="buttons">
          <button type="button" class="small primary" disabled={isBusy} onClick={() => void set()}>
            {t.decideByStrength(where)}
          </button>
          <a
            class="small secondary as-button"
            aria-label={t.lookAt(where)}
            href={href('locating', queryOf({ ...usualWanted(), place: key }))}
          >
            {t.look}
          </a>
        </div>
      )}
    </li>
  );
}
