import type { Micros } from '../base/instant.ts';
import type { Publication } from './encoders/encoder.ts';
import type { SiteReader } from './site.ts';
import type { Expected } from './truth/expected.ts';

export interface Message extends Expected {
  reader: SiteReader;
  /** No read in it is earlier, its reader's clock aside. */
  readyAt: Micros;
  publication: Publication;
  isDup: boolean;
}
