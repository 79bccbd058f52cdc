import type { Point } from '../../api/types.ts';

/** How much larger than all of the plan in sight. */
const MOST_ZOOM = 24;

/** Pixels around the plan when all of it is in sight. */
const MARGIN = 12;

/** What of a plan is in sight, in pixels: the plan is `width * scale` wide and begins at `x`, `y`. */
export class Viewport {
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

  /** What is in the middle stays there. */
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

  /** The point of the plan that is in the middle. */
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

  /** What is at `x`, `y` of the box stays there. */
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
