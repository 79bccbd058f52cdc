import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Point } from '../../api/types.ts';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';

/** Milliseconds after the last change until the address has it. */
const SETTLED_MS = 300;

/** Square pixels for each place from which on all names are shown: a name takes a third of it. */
const ROOMY = 9_000;

interface Size {
  width: number;
  height: number;
}

export interface View {
  box: RefObject<HTMLDivElement | null>;
  sheet: RefObject<HTMLDivElement | null>;
  viewport: Viewport;
  /** Does it, and has it shown. */
  change: (work: (viewport: Viewport) => void) => void;
}

/**
 * What of the plan is in sight: by wheel, fingers, dragging and the functions of `viewport`. Nothing is drawn again by it: one
 * element is moved, so that 300 places follow smoothly. The address has it as `view=<x>,<y>,<zoom>`.
 *
 * @param count places on it.
 */
export function useViewport({ width, height }: Size, count: number): View {
  const box = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const viewport = useMemo(() => new Viewport(width, height), [width, height]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const show = () => {
    const element = sheet.current;
    if (element !== null) {
      element.style.width = `${viewport.width}px`;
      element.style.height = `${viewport.height}px`;
      element.style.transform = `translate(${viewport.left}px, ${viewport.top}px)`;
      element.classList.toggle('is-crowded', viewport.width * viewport.height < count * ROOMY);
    }
  };
  const change = (work: (viewport: Viewport) => void) => {
    work(viewport);
    show();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => replaceAddress(hrefWith({ view: textOf(viewport) })), SETTLED_MS);
  };
  useLayoutEffect(show, [count]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    viewport.resize(element.clientWidth, element.clientHeight);
    const asked = readView(address.value.query.get('view'));
    if (asked !== null) {
      viewport.look(...asked);
    }
    show();
    const resized = new ResizeObserver(() => {
      viewport.resize(element.clientWidth, element.clientHeight);
      show();
    });
    resized.observe(element);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      change((view) =>
        view.zoomBy(Math.exp((-event.deltaY * lines) / 400), event.clientX - left, event.clientY - top),
      );
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    const endPanning = panByPointers(element, change);
    return () => {
      resized.disconnect();
      element.removeEventListener('wheel', onWheel);
      endPanning();
      clearTimeout(timer.current);
    };
  }, [viewport]);
  return { box, sheet, viewport, change };
}

function textOf({ middle: [x, y], zoom }: Viewport): string | null {
  const isAll = Math.abs(zoom - 1) < 0.01 && Math.abs(x - 0.5) < 0.01 && Math.abs(y - 0.5) < 0.01;
  return isAll ? null : [x, y, zoom].map((each) => each.toFixed(3)).join();
}

function readView(text: string | null): [point: readonly [number, number], zoom: number] | null {
  const [x = Number.NaN, y = Number.NaN, zoom = Number.NaN] = (text ?? '').split(',').map(Number);
  return text !== null && [x, y, zoom].every(Number.isFinite) ? [[x, y], zoom] : null;
}

/** Pixels that a hand moves in clicking. */
const STILL = 4;

interface Spot {
  x: number;
  y: number;
}

/**
 * Pans by one pointer, and zooms by two. A click passes through only if the pointer stayed.
 *
 * @returns a function that ends it.
 */
function panByPointers(box: HTMLElement, change: View['change']): () => void {
  const down = new Map<number, Spot>();
  let begun: Spot | null = null;
  let isDragging = false;

  const onDown = (event: PointerEvent) => {
    const { target, pointerId, button } = event;
    if (button !== 0 || (target instanceof Element && target.closest('[data-drags]') !== null)) {
      return;
    }
    down.set(pointerId, { x: event.clientX, y: event.clientY });
    if (down.size === 1) {
      begun = { x: event.clientX, y: event.clientY };
      isDragging = false;
    }
  };
  const onMove = (event: PointerEvent) => {
    const before = down.get(event.pointerId);
    if (before === undefined || begun === null) {
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    isDragging ||= Math.hypot(now.x - begun.x, now.y - begun.y) > STILL || down.size > 1;
    if (!isDragging) {
      return;
    }
    box.classList.toggle('is-panned', down.size === 1);
    if (!box.hasPointerCapture(event.pointerId)) {
      box.setPointerCapture(event.pointerId);
    }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    if (other === undefined) {
      change((viewport) => viewport.panBy(now.x - before.x, now.y - before.y));
    } else {
      change((viewport) => pinch(viewport, box.getBoundingClientRect(), { before, now, other }));
    }
  };
  const onUp = (event: PointerEvent) => {
    down.delete(event.pointerId);
    box.classList.remove('is-panned');
  };
  const onClick = (event: MouseEvent) => {
    if (isDragging && event.detail > 0) {
      event.preventDefault();
      event.stopPropagation();
    }
    isDragging = false;
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  box.addEventListener('pointerdown', onDown, { signal });
  box.addEventListener('pointermove', onMove, { signal });
  box.addEventListener('pointerup', onUp, { signal });
  box.addEventListener('pointercancel', onUp, { signal });
  box.addEventListener('click', onClick, { capture: true, signal });
  return () => stopping.abort();
}

/** One of two fingers has moved: zooms around the middle between them, which keeps its point of the plan. */
function pinch(
  viewport: Viewport,
  { left, top }: DOMRect,
  { before, now, other }: { before: Spot; now: Spot; other: Spot },
): void {
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
  viewport.panBy((now.x - before.x) / 2, (now.y - before.y) / 2);
  viewport.zoomBy(
    distance(now, other) / Math.max(1, distance(before, other)),
    middle.x - left,
    middle.y - top,
  );
}

function distance(a: Spot, b: Spot): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** How much larger than all of the plan in sight. */
const MOST_ZOOM = 24;

/** Pixels around the plan when all of it is in sight. */
const MARGIN = 12;

/** The visible part of a plan, in pixels: the plan is `width * scale` wide and begins at `x`, `y`. */
class Viewport {
  readonly #width: number;
  readonly #height: number;
  #box = { width: 1, height: 1 };
  #scale = 1;
  #x = 0;
  #y = 0;
  #isFitted = true;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  get width(): number {
    return this.#width * this.#scale;
  }

  get height(): number {
    return this.#height * this.#scale;
  }

  get left(): number {
    return this.#x;
  }

  get top(): number {
    return this.#y;
  }

  /** 1 where all of the plan is in sight. */
  get zoom(): number {
    return this.#scale / this.#fittingScale;
  }

  get #fittingScale(): number {
    const { width, height } = this.#box;
    return Math.max(
      0.001,
      Math.min((width - 2 * MARGIN) / this.#width, (height - 2 * MARGIN) / this.#height),
    );
  }

  /** Keeps the centre in place. */
  resize(width: number, height: number): void {
    const [zoom, middle] = [this.zoom, this.middle];
    this.#box = { width, height };
    if (this.#isFitted) {
      this.fit();
    } else {
      this.look(middle, zoom);
    }
  }

  fit(): void {
    this.look([0.5, 0.5], 1);
    this.#isFitted = true;
  }

  get middle(): Point {
    return this.pointAt(this.#box.width / 2, this.#box.height / 2);
  }

  look([x, y]: Point, zoom: number): void {
    this.#scale = this.#fittingScale * Math.max(0.5, Math.min(MOST_ZOOM, zoom));
    this.#x = this.#box.width / 2 - x * this.width;
    this.#y = this.#box.height / 2 - y * this.height;
    this.#isFitted = false;
    this.#keepInSight();
  }

  /** Keeps the point at `x`, `y` of the box in place. */
  zoomBy(factor: number, x = this.#box.width / 2, y = this.#box.height / 2): void {
    const [px, py] = this.pointAt(x, y);
    const zoom = Math.max(0.5, Math.min(MOST_ZOOM, this.zoom * factor));
    this.#scale = this.#fittingScale * zoom;
    this.#x = x - px * this.width;
    this.#y = y - py * this.height;
    this.#isFitted = false;
    this.#keepInSight();
  }

  panBy(dx: number, dy: number): void {
    this.#x += dx;
    this.#y += dy;
    this.#isFitted = false;
    this.#keepInSight();
  }

  /** Moves and widens no more than it takes to have all of the points in sight. */
  show(points: readonly Point[]): void {
    const isSeen = ([x, y]: Point) => {
      const [left, top] = [this.#x + x * this.width, this.#y + y * this.height];
      return left > 0 && top > 0 && left < this.#box.width && top < this.#box.height;
    };
    if (points.length === 0 || points.every(isSeen)) {
      return;
    }
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const span = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const middle: Point = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
    this.look(middle, Math.min(this.zoom, 0.8 / Math.max(span, 0.001)));
  }

  /** The point of the plan at a place of the box. */
  pointAt(x: number, y: number): Point {
    return [(x - this.#x) / this.width, (y - this.#y) / this.height];
  }

  /** At least a corner of the plan stays in the box. */
  #keepInSight(): void {
    const { width, height } = this.#box;
    this.#x = Math.max(Math.min(60, width / 4) - this.width, Math.min(width * 0.75, this.#x));
    this.#y = Math.max(Math.min(60, height / 4) - this.height, Math.min(height * 0.75, this.#y));
  }
}
