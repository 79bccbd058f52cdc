import type { PlanDot, PlanSize } from '../api/types.ts';

export type DrawnDot = Pick<PlanDot, 'x' | 'y' | 'radius_m'>;

/** Beyond this many dots only lit ones have circles: together they would cover the plan. */
const MOST_CIRCLES = 200;

/**
 * Assets on a plan, each with a circle that it is probably within. All of a kind are one shape: moving or zooming 2,000
 * costs as much as one.
 */
export function PlanDots({
  size: { width_m: width, height_m: height },
  dots,
  isLit = null,
  onPick,
}: {
  size: PlanSize;
  dots: readonly DrawnDot[];
  /** Null while nothing is looked for. */
  isLit?: ((index: number) => boolean) | null;
  onPick?: (event: MouseEvent) => void;
}) {
  const lit = isLit === null ? [] : dots.filter((_, index) => isLit(index));
  const others = isLit === null ? dots : dots.filter((_, index) => !isLit(index));
  const circled = isLit !== null ? lit : dots.length > MOST_CIRCLES ? [] : dots;
  return (
    <svg
      class="plan-dots"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-dots={dots.length}
    >
      <path class="dots-within" d={circled.map(circleOf).join('')} />
      <DotsOf dots={others} isDim={isLit !== null} onPick={onPick} />
      <DotsOf dots={lit} isDim={false} onPick={onPick} />
    </svg>
  );
}

/** Lines of no length with round ends, which are as large however near one looks. */
function DotsOf({
  dots,
  isDim,
  onPick,
}: {
  dots: readonly DrawnDot[];
  isDim: boolean;
  onPick: ((event: MouseEvent) => void) | undefined;
}) {
  const points = dots.map(({ x, y }) => `M${x} ${y}h0`).join('');
  return (
    <g class={isDim ? 'is-dim' : ''}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keys an asset is found by name */}
      <path class="dots-edge" d={points} onClick={onPick} />
      <path class="dots-core" d={points} />
    </g>
  );
}

function circleOf({ x, y, radius_m: r }: DrawnDot): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
}
