import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Asset, ReadAround, Rival, Scan, Why } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { coloursOf } from '../../parts/place-colours.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
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
      title={why?.stay ? t.title(asset.name, place, why.stay.to === null) : t.plainTitle(asset.name)}
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
      {why !== undefined && why.stay === null && <p>{t.notSeen}</p>}
      {why !== undefined && why.stay !== null && (
        <div class="why">
          <p class="why-rule">{why.rule === null ? t.ruleUnknown : t.rules[why.rule](place)}</p>
          <DecidingScan why={why} />
          <section>
            <h3>{t.signal}</h3>
            <p class="hint">{t.signalHint}</p>
            {why.reads === null ? (
              <p>{t.readsGone}</p>
            ) : (
              <SignalPicture why={why} reads={why.reads} order={order} />
            )}
          </section>
          <Rivals rivals={why.rivals} />
          <SaidBefore said={corrected(why)} />
        </div>
      )}
    </SideSheet>
  );
}

/** What else was read just before, and by how much it lost. */
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
  return lost === null ? '' : lost < 0 ? t.stronger(-lost) : t.weaker(lost);
}

/** Milliseconds from a read to its record, at the most, where nothing holds it up. */
const RECORDED_WITHIN = 5_000;

/**
 * What was said of the stay's beginning, and was wrong. That the asset is where it was before is said, and rightly, until
 * the read that moves it is recorded.
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
              {t.level(level)}
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
