import type { Micros } from '../base/instant.ts';
import type { Publication } from './encoders/encoder.ts';
import type { SiteReader } from './site.ts';
import type { Expected } from './truth/expected.ts';

/** A message that a reader has ready, and what is to become of it. */
export interface Message extends Expected {
  reader: SiteReader;
  /** No read in it was made earlier, but for its reader's clock. */
  readyAt: Micros;
  publication: Publication;
  isDup: boolean;
}
