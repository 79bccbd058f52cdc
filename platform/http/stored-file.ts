/** An answer of bytes that are not JSON, streamed as they are read. What its digest names never changes. */
export interface StoredFile {
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  readonly digest: string;
  pieces(): AsyncIterable<Uint8Array>;
}

/** The body of a route's answer. */
export class FileAnswer {
  readonly file: StoredFile;

  constructor(file: StoredFile) {
    this.file = file;
  }

  get etag(): string {
    return `"${this.file.digest}"`;
  }

  /**
   * Kept by the browser, which asks each time whether it still may show it. Opened by itself it can run nothing, whatever
   * is in it.
   */
  get headers(): Record<string, string> {
    return {
      'Cache-Control': 'private, no-cache',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Content-Disposition': 'inline',
      ETag: this.etag,
    };
  }

  /** @param condition the header `If-None-Match`. */
  isKnown(condition: string | undefined): boolean {
    const given = (condition ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return given.includes(this.etag);
  }
}
