import type { Asset } from '../../api/asset.ts';
import type { Presence } from '../../api/report.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import type { Stays } from '../../api/whereabouts.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { Badge } from '../../parts/badge.tsx';
import { ChangesOf } from '../../parts/changes/changes-of.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { lanesOf } from '../../parts/timeline/lanes-of.ts';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { GapHint } from './gap-hint.tsx';
import { rangeInAddress, usualRange } from './range.ts';
import { RangeBar } from './range-bar.tsx';
import { StayTable } from './stay-table.tsx';
import { Timeline } from './timeline.tsx';
import { useGaps } from './use-gaps.ts';
import { WhereItIs } from './where-it-is.tsx';
import { WhySheet } from './why-sheet.tsx';

/** `#/asset/17?from=…&to=…&why=…`: where it is and was, and why that is said. */
export function AssetScreen({ rest: [id = ''] }: { rest: readonly string[] }) {
  const t = texts.value.asset;
  const asset = useRead<{ data: Asset }>(`/assets/${id}`);
  const asked = rangeInAddress();
  // All there is tells what the usual range is; a range that is asked for is read by itself.
  const whole = useRead<{ data: Stays }>(`/assets/${id}/stays`);
  const range = asked ?? (whole.answer === undefined ? null : usualRange(whole.answer.data, Date.now()));
  const stays = useRead<{ data: Stays }>(
    asked === null ? null : `/assets/${id}/stays`,
    asked === null ? {} : { from: new Date(asked.from).toISOString(), to: new Date(asked.to).toISOString() },
  );
  const gaps = useGaps(id, range);
  const presence = useRead<{ data: readonly Presence[] }>('/reports/presence', {
    ...{ asset_id: id, include_not_in_effect: true },
  });
  useRepeat(presence.reload, 60_000);
  useReloadOnMoves(
    ({ data }) => String(data.asset.id) === id,
    () => {
      asset.reload();
      whole.reload();
      stays.reload();
      presence.reload();
    },
  );
  const why = address.value.query.get('why');
  const problem = asset.problem ?? whole.problem ?? stays.problem;
  const known = asset.answer?.data;
  if (known === undefined || whole.answer === undefined || range === null) {
    return (
      <div class="page">
        {problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={asset.reload} />
        )}
      </div>
    );
  }
  const { stays: shown, is_cut } = (asked === null ? whole.answer : (stays.answer ?? whole.answer)).data;
  const now = Date.now();
  const lanes = lanesOf(shown, range, now);
  const last = whole.answer.data.stays.at(-1) ?? null;
  return (
    <div class="page asset">
      <PageHead title={known.name} sub={<span class="mono">{known.external_key}</span>}>
        {!known.is_active && <Badge>{texts.value.items.inactive}</Badge>}
        <a class="secondary" href={href('assets', { open: known.id, q: known.external_key })}>
          {may('operator') ? t.edit : t.details}
        </a>
      </PageHead>
      {last === null ? (
        <EmptyState icon="asset" title={t.neverSeen} hint={t.neverSeenHint} />
      ) : (
        <>
          <WhereItIs
            asset={known}
            stay={last}
            lastSeen={whole.answer.data.last_seen}
            presence={presence.answer?.data[0]}
          />
          <section class="card timeline-card" aria-labelledby="timeline">
            <header class="timeline-head">
              <h2 id="timeline">{t.timeline}</h2>
              <RangeBar range={range} whole={whole.answer.data} />
            </header>
            <Timeline
              lanes={lanes}
              range={range}
              now={now}
              gaps={gaps === 'unknown' ? undefined : gaps?.byPlace}
            />
            <GapHint gaps={gaps} />
            {is_cut && <p class="hint">{t.isCut}</p>}
          </section>
          <StayTable stays={shown} range={range} />
        </>
      )}
      <ChangesOf type="asset" id={known.id} />
      {problem !== null && <ProblemNote problem={problem} onRetry={whole.reload} />}
      {why !== null && (
        <WhySheet
          key={why}
          asset={known}
          at={why === 'now' ? null : why}
          order={lanes.flatMap(({ place }) => place?.id ?? [])}
          onClose={() => go(hrefWith({ why: null }))}
        />
      )}
    </div>
  );
}
