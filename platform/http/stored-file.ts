/** An answer of bytes other than JSON, streamed as they are read. The content of a digest never changes. */
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

  /** The browser keeps it, and asks each time whether it may still show it. Opened on its own it can run nothing. */
  get headers(): Record<string, string> {
    return {
      'Cache-Control': 'private, no-cache',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Content-Disposition': 'inline',
      ETag: `"${this.file.digest}"`,
    };
  }
}
