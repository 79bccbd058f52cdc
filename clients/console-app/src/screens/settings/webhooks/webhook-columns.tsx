import type { Webhook } from '../../../api/types.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Instant } from '../../../parts/instant.tsx';
import type { Column } from '../../../parts/table.tsx';
import { texts } from '../../../texts/texts.ts';

export function webhookColumns(): Column<Webhook>[] {
  const t = texts.value.webhooks;
  return [
    {
      title: t.name,
      cell: ({ name, url }) => (
        <>
          <span class="title">{name}</span> <span class="hint">{url}</span>
        </>
      ),
      saved: ({ name, url }) => ({ [t.name]: name, [t.url]: url }),
    },
    { title: t.state, cell: (webhook) => <StateBadge webhook={webhook} />, saved: stateWords },
    {
      ...{ title: t.behind, isNumber: true, weight: 2 },
      cell: ({ head, position }) => t.events(head - position),
      saved: ({ head, position }) => head - position,
    },
    {
      title: t.lastAttempt,
      weight: 3,
      cell: ({ last_attempt: last }) =>
        last === null ? (
          <span class="none">–</span>
        ) : (
          <>
            <Instant at={last.at} /> <span class="hint">{outcomeOf(last)}</span>
          </>
        ),
      saved: ({ last_attempt: last }) => last?.at,
    },
  ];
}

export function StateBadge({ webhook }: { webhook: Webhook }) {
  const { state, state_reason: reason } = webhook;
  const tone = state === 'on' ? 'moved' : reason === null ? 'queued' : 'refused';
  return <Badge tone={tone}>{stateWords(webhook)}</Badge>;
}

function stateWords({ state, state_reason: reason }: Webhook): string {
  const t = texts.value.webhooks;
  return reason === null ? t.states[state] : t.reasons[reason];
}

/** The receiver's answer, or why there was none. */
export function outcomeOf({ status, error }: { status: number | null; error: string | null }): string {
  const t = texts.value.webhooks;
  if (error !== null) {
    return error;
  }
  return status === null ? t.noAnswer : t.answered(status);
}
