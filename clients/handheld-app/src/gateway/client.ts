import { isTagType, type TagType } from '../../../../domain/tracking/tag-type.ts';
import { texts } from '../texts/texts.ts';
import type {
  Answer,
  AssetRef,
  ListedAsset,
  Retraction,
  ScanResult,
  Submission,
  SweepReport,
} from './answers.ts';
import type { AssetPage, FoundAsset, HeardRead } from './found-asset.ts';
import type { Location, Place } from './place.ts';

/** The gateway lets submissions wait for 20 s at most; look-ups are shorter, because the user is waiting. */
const SENDING_PATIENCE_MS = 30_000;
/** Allowance for the slowest network: a body given up halfway starts over. */
const SLOWEST_BYTES_PER_SECOND = 1_000;
const MOST_DOUBLINGS = 3;
const LOOK_UP_PATIENCE_MS = 8_000;
const PAGE = 1000;
const MOST_ATTEMPTS = 3;

interface Tag {
  tag_type: TagType;
  value: string;
  guessed?: boolean;
}

/** Null while nobody listens to the readers. */
export type Listened = Answer<readonly HeardRead[] | null>;

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

  /** @param failures as of {@link submit}. */
  async sweep(
    token: string,
    sweepId: string,
    report: SweepReport,
    failures: number,
  ): Promise<Answer<unknown>> {
    const body = { sweep_id: sweepId, ...report, sent_at: this.#now().toISOString() };
    const answer = await this.#request(token, '/handheld/v1/sweeps', { body, failures });
    const isForUs =
      answer.kind !== 'ok' || (answer.data as { sweep_id?: unknown } | null)?.sweep_id === sweepId;
    return isForUs ? answer : foreign();
  }

  /** Takes scans of a submission back. @param failures as of {@link submit}. */
  async retract(token: string, retraction: Retraction, failures: number): Promise<Answer<unknown>> {
    const path = '/handheld/v1/retractions';
    const answer = await this.#request(token, path, { body: retraction, failures, mayForbid: true });
    const { retraction_id } = (answer.kind === 'ok' ? (answer.data ?? {}) : {}) as {
      retraction_id?: unknown;
    };
    return answer.kind !== 'ok' || retraction_id === retraction.retraction_id ? answer : foreign();
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

  /** The first live assets by key, with where they are. @param most of them, in whole pages. */
  async assets(token: string, most: number): Promise<Answer<FoundAsset[]>> {
    return this.#list<FoundAsset>(token, '/handheld/v1/assets', most);
  }

  async findAssets(token: string, words: string, most: number): Promise<Answer<FoundAsset[]>> {
    const query = new URLSearchParams({ q: words, limit: String(most) });
    const answer = await this.#request(token, `/handheld/v1/assets?${query}`);
    return answer.kind !== 'ok'
      ? answer
      : Array.isArray(answer.data)
        ? { kind: 'ok', data: answer.data, total: answer.total }
        : foreign();
  }

  async asset(token: string, id: number): Promise<Answer<AssetPage>> {
    const answer = await this.#request(token, `/handheld/v1/assets/${id}`);
    return answer.kind !== 'ok' || (answer.data as { id?: unknown } | null)?.id === id
      ? (answer as Answer<AssetPage>)
      : foreign();
  }

  /**
   * Where fixed readers hear an asset, again and again, or why that is refused. It ends with the connection, or its
   * silence: out of range a connection does not end, and the last signal would stay.
   */
  async *listen(token: string, id: number, signal: AbortSignal): AsyncGenerator<Listened> {
    const end = new AbortController();
    signal.addEventListener('abort', () => end.abort(), { signal: end.signal });
    const isSilent = () => setTimeout(() => end.abort(), LOOK_UP_PATIENCE_MS);
    let timer = isSilent();
    try {
      const response = await fetch(`/handheld/v1/assets/${id}/listen`, {
        headers: { Authorization: `Bearer ${token}` },
        signal: end.signal,
        cache: 'no-store',
      });
      if (!response.ok) {
        yield answerOf(response, inJson(await response.text())) as Answer<never>;
        return;
      }
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
        clearTimeout(timer);
        timer = isSilent();
        const events = (text + piece.value).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = inJson(/^data: (.*)$/m.exec(event)?.[1] ?? '') as { reads?: HeardRead[] } | null;
          yield { kind: 'ok', data: data?.reads ?? null };
        }
      }
    } finally {
      clearTimeout(timer);
      end.abort();
    }
  }

  /** The asset or location of a tag, as the result of a scan that only checks; 404 if the tag is unknown. */
  async behind(token: string, tag: Tag): Promise<Answer<ScanResult>> {
    const { tag_type, value, guessed = false } = tag;
    const query = new URLSearchParams({ tag_type, value, ...(guessed ? { guessed: 'true' } : {}) });
    const answer = await this.#request(token, `/handheld/v1/tags?${query}`);
    if (answer.kind !== 'ok') {
      return answer;
    }
    const {
      tag_type: found,
      asset,
      location,
    } = (answer.data ?? {}) as {
      tag_type?: unknown;
      asset?: (AssetRef & { location: Place | null }) | null;
      location?: Place | null;
    };
    const status = asset == null ? 'location' : 'checked';
    const at = asset == null ? (location ?? null) : asset.location;
    const kind = isTagType(found) ? { tag_type: found } : {};
    return { kind: 'ok', data: { status, ...kind, asset: asset ?? null, location: at, from: null } };
  }

  /** Where the tag's asset is; null if it was never seen. */
  async whereIs(token: string, tag: Tag): Promise<Answer<Place | null>> {
    const answer = await this.behind(token, tag);
    return answer.kind === 'ok'
      ? { kind: 'ok', data: answer.data.asset === null ? null : answer.data.location }
      : answer;
  }

  /** A whole list, never part of one: if it changes while being paged through, it starts over. */
  async #list<Row extends { id: number }>(
    token: string,
    path: string,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Answer<Row[]>> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const answer = await this.#pages<Row>(token, path, most);
      if (answer.kind !== 'ok' || isWhole(answer, most)) {
        return answer;
      }
    }
    return { kind: 'unreachable', detail: texts.value.gateway.changing, seconds: null };
  }

  async #pages<Row extends { id: number }>(
    token: string,
    path: string,
    most: number,
  ): Promise<Answer<Row[]>> {
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
      if (answer.data.length < PAGE || rows.length >= most) {
        return { kind: 'ok', data: rows, total: answer.total };
      }
    }
  }

  async #request(
    token: string,
    path: string,
    sent?: { body: object; failures: number; mayForbid?: boolean },
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
      const answer = answerOf(response, inJson(await response.text()), sent?.mayForbid);
      const time = Date.parse(response.headers.get('Date') ?? '');
      if (answer.kind === 'ok' && !Number.isNaN(time)) {
        this.#onTime(new Date(time));
      }
      return answer;
    } catch {
      // No network, or no answer in time.
      return { kind: 'unreachable', detail: texts.value.gateway.unreachable, seconds: null };
    }
  }
}

/** No row is missing or there twice. */
function isWhole(
  { data, total }: { data: readonly { id: number }[]; total?: number | undefined },
  most: number,
): boolean {
  const ids = new Set(data.map(({ id }) => id));
  return ids.size === data.length && (total === undefined || Math.min(total, most) === data.length);
}

function patienceFor(text: string, failures: number): number {
  const uploading = (new Blob([text]).size / SLOWEST_BYTES_PER_SECOND) * 1000;
  return SENDING_PATIENCE_MS + uploading * 2 ** Math.min(failures, MOST_DOUBLINGS);
}

/** `AbortSignal.timeout`, which older browsers lack. */
function timeLimit(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller.signal;
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

/**
 * @param body null if it is not JSON and hence not the gateway's.
 * @param mayForbid whether 403 concerns the request and not the token.
 */
function answerOf(response: Response, body: Body | null, mayForbid = false): Answer<unknown> {
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
  if (status === 401 || (status === 403 && !mayForbid) || status === 422) {
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

interface Fault {
  detail?: string;
  fields?: readonly { field: string; message: string }[];
}

/** Faults by field, a few at most, for the user to pass on. */
function inWords({ detail = '', fields = [] }: Fault): string {
  const said = fields.slice(0, 3).map(({ message }) => message);
  const more = fields.length - said.length;
  return said.length === 0 ? detail : said.join('. ') + (more > 0 ? texts.value.gateway.more(more) : '');
}

function foreign(): { kind: 'unreachable'; detail: string; seconds: null } {
  return { kind: 'unreachable', detail: texts.value.gateway.foreign, seconds: null };
}

/** A message that users can pass on to the operator of whatever stands between device and gateway. */
function answeredWith(status: number): string {
  return texts.value.gateway.status(status);
}

/** Parses a result; missing members are null, and statuses of later versions pass. */
function resultOf(result: unknown): ScanResult {
  const said = (result ?? {}) as Partial<Record<keyof ScanResult, unknown>>;
  return {
    status: typeof said.status === 'string' ? said.status : 'unknown',
    ...(isTagType(said.tag_type) ? { tag_type: said.tag_type } : {}),
    from: named<Place>(said.from),
    asset: named<AssetRef>(said.asset),
    location: named<Place>(said.location),
  };
}

function named<Named extends { id: number; external_key: string; name: string }>(
  value: unknown,
): Named | null {
  return typeof value === 'object' && value !== null && 'id' in value ? (value as Named) : null;
}
