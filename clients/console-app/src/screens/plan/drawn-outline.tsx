import type { Outline } from './use-outline.ts';

/** What is drawn so far, and where a key sets the next point. */
export function DrawnOutline({ outline: { points, cross } }: { outline: Outline }) {
  return (
    <>
      <svg class="plan-outlines" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <polyline class="outline is-lit" points={points.map(([x, y]) => `${x},${y}`).join(' ')} />
      </svg>
      {points.map(([x, y], index) => (
        <span key={index} class="corner" style={{ left: `${100 * x}%`, top: `${100 * y}%` }} />
      ))}
      <span class="cross" style={{ left: `${100 * cross[0]}%`, top: `${100 * cross[1]}%` }} />
    </>
  );
}
