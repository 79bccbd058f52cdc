import type { ReadAround, Why } from '../../api/whereabouts.ts';
import { coloursOf } from '../../parts/place-colours.ts';
import { texts } from '../../texts/texts.ts';

const WIDTH = 420;
const HEIGHT = 150;
const LEFT = 34;
const RIGHT = 6;
const BOTTOM = 18;
const REACH = 60_000;

/** Every read around the scan that decided, by time and strength; a line marks that scan. */
export function SignalPicture({
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
