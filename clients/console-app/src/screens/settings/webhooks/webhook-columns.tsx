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
    },
    { title: t.state, cell: (webhook) => <StateBadge webhook={webhook} /> },
    { title: t.behind, isNumber: true, weight: 2, cell: ({ head, position }) => t.events(head - position) },
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
    },
  ];
}

export function StateBadge({ webhook: { state, state_reason: reason } }: { webhook: Webhook }) {
  const t = texts.value.webhooks;
  const tone = state === 'on' ? 'moved' : reason === null ? 'queued' : 'refused';
  return <Badge tone={tone}>{reason === null ? t.states[state] : t.reasons[reason]}</Badge>;
}

/** The receiver's answer, or why there was none. */
export function outcomeOf({ status, error }: { status: number | null; error: string | null }): string {
  const t = texts.value.webhooks;
  if (error !== null) {
    return error;
  }
  return status === null ? t.noAnswer : t.answered(status);
}
