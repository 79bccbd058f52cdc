import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { organizationId } from '../../api/organization.ts';
import { addressOf } from '../../api/send.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { Asset, Data, Plan, Presence, Stay, Stays } from '../../api/types.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { Badge } from '../../parts/badge.tsx';
import { ChangesOf } from '../../parts/changes.tsx';
import { durationText } from '../../parts/duration.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PlanDots } from '../../parts/plan-dots.tsx';
import { BecauseOf, StateBadge } from '../../parts/presence.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Retired } from '../../parts/retired.tsx';
import type { Gaps } from '../../parts/timeline/lanes.tsx';
import { lanesOf } from '../../parts/timeline/lanes-of.ts';
import type { Range } from '../../parts/timeline/ticks.ts';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { ASSET_KIND } from '../assets/asset-kind.tsx';
import { OpenItem } from '../items/open-item.tsx';
import { AlertsOf, Facts } from './facts.tsx';
import { PhotoAndNotes } from './photo.tsx';
import { rangeInAddress, SPANS, shifted, showRange, usualRange, zoomed } from './range.ts';
import { Readings } from './readings.tsx';
import { StayTable, Timeline } from './stays.tsx';
import { WhySheet } from './why-sheet.tsx';

/** `#/asset/17?from=…&to=…&why=…&open=17`: where it is and was, and why that is said. */
export function AssetScreen({ rest: [id = ''] }: { rest: readonly string[] }) {
  const t = texts.value.asset;
  const live = useRead<{ data: Asset }>(`/assets/${id}`);
  const retired = useRead<{ data: Asset }>(live.problem?.status === 404 ? `/retired-assets/${id}` : null);
  const asset = live.problem?.status === 404 ? retired : live;
  const asked = rangeInAddress();
  // All there is tells what the usual range is; a range that is asked for is read by itself.
  const whole = useRead<{ data: Stays }>(`/assets/${id}/stays`);
  const range = asked ?? (whole.answer === undefined ? null : usualRange(whole.answer.data, serverNow()));
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
  const lanes = lanesOf(shown, range, serverNow());
  const last = whole.answer.data.stays.at(-1) ?? null;
  return (
    <div class="page asset">
      <Head asset={known} />
      {known.deleted_at !== null && <Retired screen="asset" row={known} />}
      {last === null ? (
        <EmptyState icon="asset" title={t.noPlace} hint={t.noPlaceHint}>
          <a class="secondary" href={hrefWith({ why: 'now' })}>
            {t.noPlaceWhy}
          </a>
        </EmptyState>
      ) : (
        <WhereItIs
          asset={known}
          stay={last}
          lastSeen={whole.answer.data.last_seen}
          presence={presence.answer?.data[0]}
        />
      )}
      <AlertsOf asset={known} />
      <Facts asset={known} />
      {last !== null && known.position !== null && (
        <OnPlan asset={known} position={known.position} onLook={asset.reload} />
      )}
      {last !== null && (
        <WhereItWas lanes={lanes} range={range} whole={whole.answer.data} gaps={gaps} isCut={is_cut} />
      )}
      <PhotoAndNotes asset={known} />
      {last !== null && <StayTable stays={shown} range={range} />}
      <Readings asset={known} range={range} />
      <ChangesOf type="asset" id={known.id} />
      {problem !== null && <ProblemNote problem={problem} onRetry={whole.reload} />}
      <OpenItem kind={ASSET_KIND} rows={[known]} />
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

function Head({ asset }: { asset: Asset }) {
  const t = texts.value.asset;
  return (
    <PageHead title={asset.name} sub={<span class="mono">{asset.external_key}</span>} about="location">
      {asset.deleted_at !== null && <Badge tone="refused">{texts.value.assets.retired}</Badge>}
      {asset.deleted_at === null && !asset.is_active && <Badge>{texts.value.items.inactive}</Badge>}
      {asset.deleted_at === null && (
        <a class="secondary" href={hrefWith({ open: asset.id })}>
          {may('operator') ? t.edit : t.details}
        </a>
      )}
    </PageHead>
  );
}

function WhereItWas({
  lanes,
  range,
  whole,
  gaps,
  isCut,
}: {
  lanes: ReturnType<typeof lanesOf>;
  range: Range;
  whole: Stays;
  gaps: KnownGaps | 'unknown' | null;
  isCut: boolean;
}) {
  const t = texts.value.asset;
  return (
    <section class="card timeline-card" aria-labelledby="timeline">
      <header class="timeline-head">
        <h2 id="timeline">{t.timeline}</h2>
        <RangeBar range={range} whole={whole} />
      </header>
      <Timeline
        lanes={lanes}
        range={range}
        now={serverNow()}
        gaps={gaps === 'unknown' ? undefined : gaps?.byPlace}
      />
      <GapHint gaps={gaps} />
      {isCut && <p class="hint">{t.isCut}</p>}
    </section>
  );
}

/** A legend for hatched areas; nothing if there are none. */
function GapHint({ gaps }: { gaps: KnownGaps | 'unknown' | null }) {
  const t = texts.value.asset;
  if (gaps === 'unknown') {
    return <p class="hint">{t.gapsUnknown}</p>;
  }
  if (gaps === null || (gaps.milliseconds === 0 && !gaps.isCut)) {
    return null;
  }
  return (
    <p class="hint">
      {gaps.milliseconds > 0 && t.gapsAre(durationText(gaps.milliseconds))}
      {gaps.isCut && ` ${t.gapsCut}`}
      {gaps.since !== null && (
        <>
          {' '}
          {t.gapsSince} <Instant at={gaps.since} />
        </>
      )}
    </p>
  );
}

function RangeBar({ range, whole }: { range: Range; whole: Stays }) {
  const t = texts.value.asset;
  const last = (milliseconds: number) => {
    const to = serverNow();
    return spanHref({ from: to - milliseconds, to });
  };
  const first = whole.first_seen === null ? serverNow() : Date.parse(whole.first_seen);
  return (
    <div class="range-bar">
      <nav class="spans" aria-label={t.range}>
        <a href={last(SPANS.hour)}>{t.spans.hour}</a>
        <a href={last(SPANS.day)}>{t.spans.day}</a>
        <a href={last(SPANS.week)}>{t.spans.week}</a>
        <a href={last(SPANS.month)}>{t.spans.month}</a>
        <a href={spanHref({ from: Math.min(first, serverNow() - 60_000), to: serverNow() })}>{t.spans.all}</a>
      </nav>
      <div class="buttons">
        <Step label={t.earlier} icon="back" onStep={() => showRange(shifted(range, -0.5))} />
        <Step label={t.later} icon="forward" onStep={() => showRange(shifted(range, 0.5))} />
        <Step label={t.zoomIn} icon="plus" onStep={() => showRange(zoomed(range, 0.5))} />
        <Step label={t.zoomOut} icon="missing" onStep={() => showRange(zoomed(range, 2))} />
      </div>
    </div>
  );
}

function Step({
  label,
  icon,
  onStep,
}: {
  label: string;
  icon: 'back' | 'forward' | 'plus' | 'missing';
  onStep: () => void;
}) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onStep}>
      <Icon name={icon} />
    </button>
  );
}

function spanHref({ from, to }: Range): string {
  return hrefWith({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
}

function WhereItIs({
  asset,
  stay,
  lastSeen,
  presence,
}: {
  asset: Asset;
  stay: Stay;
  lastSeen: string | null;
  /** Undefined until it is known. */
  presence: Presence | undefined;
}) {
  const t = texts.value.asset;
  const isThere = asset.deleted_at === null && presence?.state === 'present';
  return (
    <section class="card where" aria-label={t.whereItIs}>
      <span class="dot dot-place">
        <Icon name="place" />
      </span>
      <div class="where-place">
        <p class="hint">
          {presence !== undefined && <StateBadge state={presence.state} />} {isThere ? t.isAt : t.wasLastAt}
        </p>
        <p class="where-name">
          <a href={href('place', stay.location.id)}>{stay.location.name}</a>
        </p>
        <p class="hint">
          {t.since} <Instant at={stay.arrived_at} />
          {asset.deleted_at === null && ` · ${durationText(serverNow() - Date.parse(stay.arrived_at))}`}
          {lastSeen !== null && (
            <>
              {' · '}
              {t.lastSeen} <Instant at={lastSeen} />
            </>
          )}
        </p>
        {presence !== undefined && <StateReason presence={presence} />}
      </div>
      <a class="primary" href={hrefWith({ why: 'now' })}>
        {t.whyThere}
      </a>
    </section>
  );
}

/** Since when it is overdue, missing or unknown, and why. */
function StateReason({ presence: { state, state_since: since, because } }: { presence: Presence }) {
  const t = texts.value.presence;
  if (state === 'present' || state === 'never_seen') {
    return null;
  }
  // A sweep or a rule says it all; a reader that is not heard says more.
  const whole = because !== null && !('reader_id' in because) ? because : null;
  return (
    <p class="hint">
      {whole === null ? t.means[state] : <BecauseOf because={whole} />}
      {since !== null && (
        <>
          {' '}
          ({texts.value.asset.since} <Instant at={since} />)
        </>
      )}
      {because !== null && whole === null && (
        <>
          {' · '}
          <BecauseOf because={because} />
        </>
      )}
    </p>
  );
}

type Coverage = Data<'GET /assets/{asset_id}/coverage'>;

interface KnownGaps {
  byPlace: Gaps;
  milliseconds: number;
  /** The instant from which gaps are known, if that is after the range begins. */
  since: string | null;
  /** Only the longest are known. */
  isCut: boolean;
}

/** Milliseconds for which a range stays before it is asked about: not at each step of a drag. */
const PAUSE_MS = 300;

/** Gaps of coverage while the asset was there; null until known, `unknown` if they could not be computed. */
function useGaps(id: string, range: Range | null): KnownGaps | 'unknown' | null {
  const wanted = range === null ? null : `from=${minuteOf(range.from)}&to=${minuteOf(range.to)}`;
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { answer, problem } = useRead<{ data: Coverage }>(asked === null ? null : `/assets/${id}/coverage`, {
    ...Object.fromEntries(new URLSearchParams(asked ?? '')),
  });
  if (problem !== null) {
    return 'unknown';
  }
  if (answer === undefined || range === null) {
    return null;
  }
  const { from, gaps, is_cut: isCut } = answer.data;
  const byPlace = new Map<number, Range[]>();
  for (const gap of gaps) {
    const own = byPlace.get(gap.location_id) ?? [];
    byPlace.set(gap.location_id, own);
    own.push({ from: Date.parse(gap.from), to: Date.parse(gap.to) });
  }
  return {
    byPlace,
    milliseconds: [...byPlace.values()].flat().reduce((sum, gap) => sum + gap.to - gap.from, 0),
    since: Date.parse(from) > range.from + 60_000 ? from : null,
    isCut,
  };
}

/** Keeps a range that ends now from being requested at every render. */
function minuteOf(at: number): string {
  return new Date(Math.floor(at / 60_000) * 60_000).toISOString();
}

/** Milliseconds between two looks where it is now. */
const LOOK_MS = 3_000;

/** Where on a plan an asset is, as long as that is known. */
function OnPlan({
  asset: { external_key: key, name },
  position,
  onLook,
}: {
  asset: Asset;
  position: NonNullable<Asset['position']>;
  onLook: () => void;
}) {
  const t = texts.value.plan;
  useRepeat(onLook, LOOK_MS);
  const { answer } = useRead<{ data: readonly Plan[] }>('/plans');
  const plan = answer?.data.find(
    ({ location, scale }) => scale !== null && location?.id === position.plan_location_id,
  );
  if (plan === undefined || plan.scale === null) {
    return null;
  }
  return (
    <section class="card on-plan" aria-label={t.onPlan(plan.name)}>
      <div class="on-plan-image" style={{ aspectRatio: `${plan.width} / ${plan.height}` }}>
        <img
          src={addressOf(`/plans/${plan.id}/image`, { organization: organizationId.value })}
          alt=""
          draggable={false}
        />
        <PlanDots size={plan.scale} dots={[position]} />
      </div>
      <p>
        <span class="title">{t.onPlan(plan.name)}</span>: {t.within(position.radius_m)} ·{' '}
        <Instant at={position.observed_at} />
      </p>
      <a
        class="secondary small"
        href={href('plan', plan.id, { find: key })}
        aria-label={`${t.showOnPlan}: ${name}`}
      >
        {t.showOnPlan}
      </a>
    </section>
  );
}
