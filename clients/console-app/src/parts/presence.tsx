import { readOfMany } from '../api/send.ts';
import type { Presence, PresenceBecause, PresenceState } from '../api/types.ts';
import { useRead } from '../api/use-read.ts';
import { href } from '../router/router.ts';
import { texts } from '../texts/texts.ts';
import { Badge, type Tone } from './badge.tsx';
import { Instant } from './instant.tsx';

const TONES: Record<PresenceState, Tone> = {
  present: 'moved',
  overdue: 'problem',
  missing: 'refused',
  unknown: 'queued',
  never_seen: 'queued',
};

export function StateBadge({ state }: { state: PresenceState }) {
  return <Badge tone={TONES[state]}>{texts.value.presence.states[state]}</Badge>;
}

export function stateWord(state: PresenceState | undefined): string | undefined {
  return state === undefined ? undefined : texts.value.presence.states[state];
}

/** As the report of presence says it now. */
export function usePresence(ids: readonly number[]) {
  const { answer, reload } = useRead<{ data: readonly Presence[] }>(
    ids.length === 0 ? null : '/reports/presence',
    { asset_id: ids, limit: 200, include_not_in_effect: true },
    readOfMany,
  );
  const byId: ReadonlyMap<number, Presence> = new Map(answer?.data.map((row) => [row.asset_id, row]));
  return { byId, reload };
}

/** Why an asset is overdue or missing, or why nobody can tell. */
export function BecauseOf({ because }: { because: PresenceBecause }) {
  const t = texts.value.presence;
  return !('reader_id' in because) ? (
    <span>{becauseWords(because)}</span>
  ) : (
    <>
      <a href={href('readers', because.reader_id)}>{because.reader_name}</a>{' '}
      {because.since === null ? (
        t.notHeard
      ) : (
        <>
          {t.unheardSince} <Instant at={because.since} />
        </>
      )}
    </>
  );
}

export function becauseWords(because: PresenceBecause): string {
  const t = texts.value.presence;
  if ('sweep_id' in because) {
    return t.notFound;
  }
  return 'rule_id' in because ? t.byRule : `${because.reader_name} ${t.notHeard}`;
}
