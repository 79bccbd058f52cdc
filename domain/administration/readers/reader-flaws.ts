import { sql } from '../../../db/timescale/queries/sql.ts';

/** What a reader's messages say that is of no use. */
export interface ReaderFlaws {
  /** Reads whose signal strength no radio has: they count without one. */
  rssi_unusable: number;
  rssi_example: string | null;
}

/** {@link ReaderFlaws} as JSON, over `readers reader`. */
export const READER_FLAWS = sql.fragment`(
  select json_build_object(
    'rssi_unusable', coalesce(flawed.rssi_unusable, 0), 'rssi_example', flawed.rssi_example)
  from (select) one
  left join reader_flaws flawed on flawed.org_id = reader.org_id and flawed.reader_id = reader.id
)`;
