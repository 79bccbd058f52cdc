import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Asset, Decision, Latest, ReadAround, Rival, Scan, Why } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { coloursOf } from '../../parts/timeline/lanes-of.ts';
import { texts } from '../../texts/texts.ts';

/** Why the asset is said to be, or to have been, where it was at an instant; null for now. */
export function WhySheet({
  asset,
  at,
  order,
  onClose,
}: {
  asset: Asset;
  at: string | null;
  /** Places beside it, in the order of their colours. */
  order: readonly number[];
  onClose: () => void;
}) {
  const t = texts.value.why;
  const { answer, problem, reload } = useRead<{ data: Why }>(
    `/assets/${asset.id}/why`,
    at === null ? {} : { at },
  );
  const why = answer?.data;
  const place = why?.stay?.location?.name ?? t.unknownPlace;
  return (
    <SideSheet
      title={titleOf(asset.name, why)}
      onClose={onClose}
      {...(why?.stay
        ? {
            sub: (
              <>
                <Instant at={why.stay.from} /> – {why.stay.to === null ? t.now : <Instant at={why.stay.to} />}
              </>
            ),
          }
        : {})}
    >
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {why === undefined && problem === null && <p class="loading">{texts.value.shell.loading}</p>}
      {why !== undefined && why.stay === null && why.latest === null && <p>{t.notSeen}</p>}
      {why !== undefined && (why.stay !== null || why.latest !== null) && (
        <div class="why">
          {why.stay === null ? (
            <p class="why-rule">{t.undecided}</p>
          ) : (
            <OfStay why={why} place={place} order={order} />
          )}
          {why.latest !== null && <LatestReads latest={why.latest} />}
          <SaidBefore said={corrected(why)} />
        </div>
      )}
    </SideSheet>
  );
}

function titleOf(asset: string, why: Why | undefined): string {
  const t = texts.value.why;
  if (why === undefined || (why.stay === null && why.latest === null)) {
    return t.plainTitle(asset);
  }
  return why.stay === null
    ? t.undecidedTitle(asset)
    : t.title(asset, why.stay.location?.name ?? t.unknownPlace, why.stay.to === null);
}

function OfStay({ why, place, order }: { why: Why; place: string; order: readonly number[] }) {
  const t = texts.value.why;
  const position = why.stay?.position ?? null;
  return (
    <>
      <p class="why-rule">{why.rule === null ? t.ruleUnknown : t.rules[why.rule](place)}</p>
      {position !== null && <p>{positionText(position)}</p>}
      <DecidingScan why={why} />
      {why.is_too_much && <p class="hint">{t.tooMuch}</p>}
      {why.decision !== null && (
        <section>
          <h3>{t.decision}</h3>
          <DecisionTable decision={why.decision} />
          {!why.is_as_recorded && <p class="hint">{t.otherwise}</p>}
        </section>
      )}
      <section>
        <h3>{t.signal}</h3>
        <p class="hint">{t.signalHint}</p>
        {why.reads === null ? (
          <p>{t.readsGone}</p>
        ) : (
          <SignalPicture why={why} reads={why.reads} order={order} />
        )}
        {why.is_cut && <p class="hint">{t.cut}</p>}
      </section>
      <Rivals rivals={why.rivals} />
    </>
  );
}

/** The last reads before the instant that is asked for, where they have to prove a place. */
function LatestReads({ latest }: { latest: Latest }) {
  const t = texts.value.why;
  return (
    <section>
      <h3>{t.latest}</h3>
      <p class="hint">
        <Instant at={latest.at} isLong />
      </p>
      <p class={latest.location === null ? 'why-lack' : ''}>{latestText(latest)}</p>
      {latest.decision?.position && <p>{positionText(latest.decision.position)}</p>}
      {latest.decision !== null && <DecisionTable decision={latest.decision} />}
    </section>
  );
}

export function latestText({ location, rule, lack, decision }: Latest): string {
  const t = texts.value.why;
  if (location !== null) {
    const isByItself = rule === 'every' || rule === 'person';
    return isByItself
      ? `${t.latestSay(location.name)} ${t.rules[rule](location.name)}`
      : t.latestSay(location.name);
  }
  if (decision === null) {
    return t.tooMuch;
  }
  if (lack !== null) {
    return t.lacks[lack.unit](
      lack.here?.name ?? t.unknownPlace,
      lack.there?.name ?? t.unknownPlace,
      t.amount(lack.reached),
      t.amount(lack.needed),
    );
  }
  return decision.is_decided && decision.location !== null
    ? t.notHeardThere(decision.location.name)
    : t.undecidedPlace;
}

/** The heard locations with the margins between them; by position, the shares of the best locations. */
function DecisionTable({ decision }: { decision: Decision }) {
  const t = texts.value.why;
  const { heard, unit } = decision;
  const isByCounts = unit === 'reads';
  const hasMargins = decision.procedure === 'strength' && unit !== null;
  return (
    <>
      <p class="hint">
        {t.decisionHint((Date.parse(decision.to) - Date.parse(decision.from)) / 1_000, isByCounts)}
      </p>
      <PlainTable
        label={t.decision}
        class="why-table"
        rows={heard}
        columns={[
          {
            title: texts.value.asset.place,
            cell: ({ location, device, antenna }) => (
              <>
                <span class="title">{location?.name ?? t.unknownPlace}</span>
                <span class="hint">{t.reader(device?.name ?? t.unknownDevice, antenna)}</span>
              </>
            ),
          },
          {
            title: t.reads,
            isNumber: true,
            cell: ({ reads, reads_with_rssi: known, level }) =>
              isByCounts || level === null ? t.count(reads) : t.countOf(known, reads),
          },
          {
            title: t.level,
            isNumber: true,
            cell: ({ level }) => (level === null ? t.noSignal : t.dbm(Math.round(10 * level) / 10)),
          },
          ...(hasMargins
            ? [
                {
                  title: t.behind,
                  isNumber: true,
                  cell: ({ margin }: Decision['heard'][number]) =>
                    margin === null ? (
                      '–'
                    ) : (
                      <span class={(margin.reached ?? 0) < margin.needed ? 'why-lack' : undefined}>
                        {t.margins[unit](t.amount(margin.reached), t.amount(margin.needed))}
                      </span>
                    ),
                },
              ]
            : []),
        ]}
      />
      {decision.heard_count > heard.length && (
        <p class="hint">{t.moreHeard(decision.heard_count - heard.length)}</p>
      )}
      {hasMargins && heard.length > 1 && <p class="hint">{t.marginHint(decision.certainty)}</p>}
      <Shares decision={decision} />
    </>
  );
}

/** By position: how likely the best locations are. */
export function Shares({ decision: { shares, odds } }: { decision: Decision }) {
  const t = texts.value.why;
  return (
    <>
      {shares !== null && (
        <>
          <h4>{t.shares}</h4>
          <ul class="why-shares">
            {shares.map(({ location, share }, index) => (
              <li key={index}>
                <span class="title">{location?.name ?? t.unknownPlace}</span>
                <span class="number">{t.share(share)}</span>
                <i style={{ width: `${100 * share}%` }} />
              </li>
            ))}
          </ul>
        </>
      )}
      {odds !== null && shares !== null && shares.length > 1 && (
        <p class="hint">{t.odds(t.amount(odds.reached), t.amount(odds.needed), odds.reads)}</p>
      )}
    </>
  );
}

function positionText({ plan, x, y, radius_m: radius }: NonNullable<Decision['position']>): string {
  const t = texts.value.why;
  return t.position(plan?.name ?? t.unknownPlace, x, y, radius);
}

/** Other reads just before, and by how much they lost. */
function Rivals({ rivals }: { rivals: readonly Rival[] | null }) {
  const t = texts.value.why;
  if (rivals === null) {
    return null;
  }
  return (
    <section>
      <h3>{t.rivals}</h3>
      {rivals.length === 0 ? (
        <p class="hint">{t.noRivals}</p>
      ) : (
        <ul class="rivals">
          {rivals.map((rival, index) => (
            <li key={index}>
              <p>
                <span class="title">{rival.location?.name ?? t.unknownPlace}</span>
                <span class="rival-lost">{lostText(rival)}</span>
              </p>
              <p class="hint">
                <Instant at={rival.at} />
                {rival.scan !== null && ` · ${scannerText(rival.scan)}`}
                {rival.tie_broken_by !== null && ` · ${t.ties[rival.tie_broken_by]}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function lostText({ lost_by_db: lost }: Rival): string {
  const t = texts.value.why;
  if (lost === null) {
    return '';
  }
  // Less than what is shown of it.
  return Math.abs(lost) < 0.05 ? t.asStrong : lost < 0 ? t.stronger(-lost) : t.weaker(lost);
}

/** Milliseconds from a read to its record, at most, where nothing holds it up. */
const RECORDED_WITHIN = 5_000;

/**
 * Earlier answers about the stay's beginning that were wrong. Until the read that moved the asset was recorded, naming the
 * earlier location was right.
 */
function corrected({ stay, said_before: said }: Why): Why['said_before'] {
  const recorded = Date.parse(stay?.from ?? '') + RECORDED_WITHIN;
  return said.filter(({ until }) => Date.parse(until) > recorded);
}

function SaidBefore({ said }: { said: Why['said_before'] }) {
  const t = texts.value.why;
  if (said.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{t.saidBefore}</h3>
      <ul class="said">
        {said.map(({ location, until }) => (
          <li key={until}>
            <span class="title">{location?.name ?? t.nowhere}</span>
            <span class="hint">
              {t.until} <Instant at={until} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const WIDTH = 420;
const HEIGHT = 150;
const LEFT = 34;
const RIGHT = 6;
const BOTTOM = 18;
const REACH = 60_000;

/** Every read around the scan that decided, by time and strength; a line marks that scan. */
function SignalPicture({
  why,
  reads,
  order,
}: {
  why: Why;
  reads: readonly ReadAround[];
  /** Places that the page shows already: each has the same colour here. */
  order: readonly number[];
}) {
  const t = texts.value.why;
  const at = Date.parse(why.stay?.from ?? '');
  const places = [
    ...new Map(reads.flatMap(({ location }) => (location ? [[location.id, location]] : []))).values(),
  ];
  const here = why.stay?.location?.id;
  const colour = coloursOf([...order, ...(here === undefined ? [] : [here]), ...places.map(({ id }) => id)]);
  const strengths = reads.flatMap(({ rssi }) => rssi ?? []);
  const [low, high] =
    strengths.length === 0
      ? [-80, -40]
      : [Math.floor(Math.min(...strengths) / 10) * 10 - 5, Math.ceil(Math.max(...strengths) / 10) * 10 + 5];
  const x = (time: string) => LEFT + ((Date.parse(time) - at + REACH) / (2 * REACH)) * (WIDTH - LEFT - RIGHT);
  const y = (rssi: number | null) =>
    rssi === null ? HEIGHT - BOTTOM - 5 : 6 + ((high - rssi) / (high - low)) * (HEIGHT - BOTTOM - 12);
  const levels = [high - 5, (high + low) / 2, low + 5].map(Math.round);
  return (
    <figure class="signal">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t.signalLabel(reads.length, places.length)}
      >
        {levels.map((level) => (
          <g key={level}>
            <line class="signal-grid" x1={LEFT} x2={WIDTH} y1={y(level)} y2={y(level)} />
            <text class="signal-text" x={LEFT - 5} y={y(level) + 3.5} text-anchor="end">
              {t.dbmOnAxis(level)}
            </text>
          </g>
        ))}
        <line
          class="signal-at"
          x1={x(new Date(at).toISOString())}
          x2={x(new Date(at).toISOString())}
          y1={0}
          y2={HEIGHT - BOTTOM}
        />
        {[-60, -30, 0, 30, 60].map((seconds) => (
          <text
            key={seconds}
            class="signal-text"
            x={x(new Date(at + seconds * 1_000).toISOString())}
            y={HEIGHT - 4}
            // The last would be cut off at the edge.
            text-anchor={seconds === 60 ? 'end' : 'middle'}
          >
            {seconds === 0 ? t.decided : t.seconds(seconds)}
          </text>
        ))}
        {reads.map((read, index) => (
          <circle
            key={index}
            cx={x(read.at)}
            cy={y(read.rssi)}
            r={Date.parse(read.at) === at && read.location?.id === here ? 5.5 : 3}
            style={{ fill: colour(read.location?.id) }}
            class={
              Date.parse(read.at) === at && read.location?.id === here
                ? 'signal-dot is-deciding'
                : 'signal-dot'
            }
          />
        ))}
      </svg>
      <figcaption>
        {places.map(({ id, name }) => (
          <span key={id}>
            <i style={{ background: colour(id) }} />
            {name}
          </span>
        ))}
        {reads.some(({ rssi }) => rssi === null) && <span class="hint">{t.withoutStrength}</span>}
      </figcaption>
    </figure>
  );
}

function DecidingScan({ why: { decided_by: scan, late_seconds: late } }: { why: Why }) {
  const t = texts.value.why;
  if (scan === null) {
    return <p class="hint">{t.scanUnknown}</p>;
  }
  return (
    <section class="deciding">
      <span class="dot dot-plain">
        <Icon name={scan.by === 'reader' ? 'reader' : 'scan'} />
      </span>
      <dl>
        <div>
          <dt>{t.decidedBy}</dt>
          <dd class="title">{scannerText(scan)}</dd>
        </div>
        <div>
          <dt>{t.tag}</dt>
          <dd>
            {texts.value.tags.types[scan.tag.tag_type]} <span class="mono">{scan.tag.value}</span>
          </dd>
        </div>
        {scan.rssi !== null && (
          <div>
            <dt>{t.strength}</dt>
            <dd>{t.dbm(scan.rssi)}</dd>
          </div>
        )}
        <div>
          <dt>{t.readAt}</dt>
          <dd>
            <Instant at={scan.observed_at} isLong />
          </dd>
        </div>
        <div>
          <dt>{t.received}</dt>
          <dd>
            {late === null || Math.abs(late) < 1
              ? t.atOnce
              : late > 0
                ? t.later(durationText(late * 1_000))
                : t.clockAhead(durationText(-late * 1_000))}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function scannerText({ by, device, antenna }: Scan): string {
  const t = texts.value.why;
  const name = device?.name ?? t.unknownDevice;
  return by === 'reader' ? t.reader(name, antenna ?? 0) : t.handheld(name);
}
