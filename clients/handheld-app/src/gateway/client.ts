import type { TagType } from '../../../../domain/tracking/tag-type.ts';
import type { Answer, ListedAsset, ScanResult, Submission } from './answers.ts';
import type { Location, Place } from './place.ts';
import { resultOf } from './result-of.ts';

/** The gateway lets submissions wait for 20 s at most; look-ups are shorter, because the user is waiting. */
const SENDING_PATIENCE_MS = 30_000;
/** Allowance for the slowest network: a body given up halfway starts over. */
const SLOWEST_BYTES_PER_SECOND = 1_000;
const MOST_DOUBLINGS = 3;
const LOOK_UP_PATIENCE_MS = 8_000;
const PAGE = 1000;
const MOST_ATTEMPTS = 3;

export class GatewayClient {
  readonly #now: () => Date;
  readonly #onTime: (gatewayTime: Date) => void;

  /**
   * @param now the device's clock.
   * @param onTime called with the gateway's clock, to the second, on every answer.
   */
  constructor(now: () => Date, onTime: (gatewayTime: Date) => void) {
    this.#now = now;
    this.#onTime = onTime;
  }

  /** @param failures in a row so far; each doubles the time allowed for the body. */
  async submit(token: string, submission: Submission, failures: number): Promise<Answer<ScanResult[]>> {
    const body = { ...submission, sent_at: this.#now().toISOString() };
    const answer = await this.#request(token, '/handheld/v1/submissions', { body, failures });
    if (answer.kind !== 'ok') {
      return answer;
    }
    const { submission_id, results } = (answer.data ?? {}) as { submission_id?: unknown; results?: unknown };
    const isForUs = submission_id === submission.submission_id && Array.isArray(results);
    return isForUs && results.length === submission.scans.length
      ? { kind: 'ok', data: results.map(resultOf) }
      : foreign();
  }

  /** A cheap request, for the gateway's clock. */
  async time(token: string): Promise<Answer<unknown>> {
    return this.#request(token, '/handheld/v1/locations?limit=1');
  }

  async locations(token: string): Promise<Answer<Location[]>> {
    return this.#list<Location>(token, '/handheld/v1/locations');
  }

  async assetsAt(token: string, locationId: number): Promise<Answer<ListedAsset[]>> {
    return this.#list<ListedAsset>(token, `/handheld/v1/locations/${locationId}/assets`);
  }

  /** Where the tag's asset is; null if it was never seen. */
  async whereIs(token: string, tag: { tag_type: TagType; value: string }): Promise<Answer<Place | null>> {
    const answer = await this.#request(token, `/handheld/v1/tags?${new URLSearchParams(tag)}`);
    if (answer.kind !== 'ok') {
      return answer;
    }
    const { asset } = (answer.data ?? {}) as { asset?: { location?: Place | null } | null };
    return { kind: 'ok', data: asset?.location ?? null };
  }

  /** A whole list, never part of one: if it changes while being paged through, it starts over. */
  async #list<Row extends { id: number }>(token: string, path: string): Promise<Answer<Row[]>> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const answer = await this.#pages<Row>(token, path);
      if (answer.kind !== 'ok' || isWhole(answer)) {
        return answer;
      }
    }
    return { kind: 'unreachable', detail: 'The list changes faster than it can be read.', seconds: null };
  }

  async #pages<Row extends { id: number }>(token: string, path: string): Promise<Answer<Row[]>> {
    const rows: Row[] = [];
    for (;;) {
      const answer = await this.#request(token, `${path}?limit=${PAGE}&offset=${rows.length}`);
      if (answer.kind !== 'ok') {
        return answer;
      }
      if (!Array.isArray(answer.data)) {
        return foreign();
      }
      rows.push(...answer.data);
      if (answer.data.length < PAGE) {
        return { kind: 'ok', data: rows, total: answer.total };
      }
    }
  }

  async #request(
    token: string,
    path: string,
    sent?: { body: object; failures: number },
  ): Promise<Answer<unknown>> {
    const text = sent === undefined ? null : JSON.stringify(sent.body);
    try {
      const response = await fetch(path, {
        method: text === null ? 'GET' : 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          ...(text === null ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(text === null ? {} : { body: text }),
        cache: 'no-store',
        signal: timeLimit(text === null ? LOOK_UP_PATIENCE_MS : patienceFor(text, sent?.failures ?? 0)),
      });
      const answer = answerOf(response, inJson(await response.text()));
      const time = Date.parse(response.headers.get('Date') ?? '');
      if (answer.kind === 'ok' && !Number.isNaN(time)) {
        this.#onTime(new Date(time));
      }
      return answer;
    } catch {
      // No network, or no answer in time.
      return { kind: 'unreachable', detail: 'The gateway cannot be reached.', seconds: null };
    }
  }
}

/** No row is missing or there twice. */
function isWhole({ data, total }: { data: readonly { id: number }[]; total?: number | undefined }): boolean {
  const ids = new Set(data.map(({ id }) => id));
  return ids.size === data.length && (total === undefined || total === data.length);
}

interface Body {
  data?: unknown;
  total_count?: number;
  error?: Fault;
}

/** @returns null for invalid JSON. */
function inJson(text: string): Body | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param body null if it is not JSON and hence not the gateway's. */
function answerOf(response: Response, body: Body | null): Answer<unknown> {
  const { status } = response;
  if (response.ok) {
    return body?.data === undefined ? foreign() : { kind: 'ok', data: body.data, total: body.total_count };
  }
  const detail = body?.error?.detail;
  // It takes no body that takes as long, either: half of it comes sooner.
  if (status === 413 || status === 408) {
    return { kind: 'too_large', detail: detail ?? answeredWith(status), isForSlowness: status === 408 };
  }
  if (status === 429 || status >= 500) {
    return { kind: 'unreachable', detail: detail ?? answeredWith(status), seconds: retryAfter(response) };
  }
  if (body?.error === undefined || detail === undefined) {
    return { kind: 'unreachable', detail: answeredWith(status), seconds: null };
  }
  // A token may stop being good in more than one way: 403 and 422 say that its organization is gone.
  if (status === 401 || status === 403 || status === 422) {
    return { kind: 'unauthorized', detail };
  }
  return { kind: 'refused', status, detail: inWords(body.error) };
}

/** Seconds; null for an invalid value. Servers in front of the gateway may send a date instead. */
function retryAfter({ headers }: Response): number | null {
  const said = headers.get('Retry-After') ?? '';
  const seconds = /^\s*\d+\s*$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

function patienceFor(text: string, failures: number): number {
  const uploading = (new Blob([text]).size / SLOWEST_BYTES_PER_SECOND) * 1000;
  return SENDING_PATIENCE_MS + uploading * 2 ** Math.min(failures, MOST_DOUBLINGS);
}

interface Fault {
  detail?: string;
  fields?: readonly { field: string; message: string }[];
}

/** Faults by field, a few at most, for the user to pass on. */
function inWords({ detail = '', fields = [] }: Fault): string {
  const said = fields.slice(0, 3).map(({ message }) => message);
  const more = fields.length - said.length;
  return said.length === 0 ? detail : said.join('. ') + (more > 0 ? ` (and ${more} more)` : '');
}

function foreign(): { kind: 'unreachable'; detail: string; seconds: null } {
  return { kind: 'unreachable', detail: 'Something other than the gateway answers here.', seconds: null };
}

/** For the user to tell whoever runs what is between device and gateway. */
function answeredWith(status: number): string {
  return `The gateway (or a server in front of it) answered with status ${status}.`;
}

/** `AbortSignal.timeout`, which older browsers lack. */
function timeLimit(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller.signal;
}
