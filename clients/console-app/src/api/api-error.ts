export interface FieldFault {
  field: string;
  code: string;
  message: string;
  /** Details, by the error's code. */
  params?: Readonly<Record<string, unknown>>;
}

interface Envelope {
  type: string;
  detail: string;
  fields: readonly FieldFault[] | undefined;
  request_id: string;
}

/** A request that failed: the envelope of the answer (contract 7), or no answer came. */
export class ApiError extends Error {
  /** 0 if no answer came. */
  readonly status: number;
  /** `offline`, `unreadable`, or the type in the envelope. */
  readonly type: string;
  readonly fields: readonly FieldFault[];
  readonly requestId: string | null;
  /** After how many seconds it may be tried again; null if nothing was said. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    type: string,
    detail: string,
    more: {
      fields?: readonly FieldFault[] | undefined;
      requestId?: string | null;
      retryAfter?: number | null;
    } = {},
  ) {
    super(detail);
    this.name = 'ApiError';
    this.status = status;
    this.type = type;
    this.fields = more.fields ?? [];
    this.requestId = more.requestId ?? null;
    this.retryAfter = more.retryAfter ?? null;
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('Retry-After')) || null;
  try {
    const { error } = (await response.json()) as { error: Envelope };
    const { type, detail, fields, request_id: requestId } = error;
    return new ApiError(response.status, type, detail, { fields, requestId, retryAfter });
  } catch {
    return new ApiError(response.status, 'unreadable', response.statusText, { retryAfter });
  }
}
