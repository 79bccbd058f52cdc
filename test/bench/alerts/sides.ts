import type { Installation } from '../ingest/installation.ts';
import type { BenchSite } from '../ingest/site.ts';

export interface Sites {
  /** Without rules. */
  plain: BenchSite;
  /** The same with rules. */
  ruled: BenchSite;
  copy: BenchSite;
}

/** The same with ingestion. */
export interface Sides {
  plain: Installation;
  ruled: Installation;
  copy: BenchSite;
}
