import { sql } from '../../../db/timescale/queries/sql.ts';
import { NO_FORMAT } from '../../formats/no-format.ts';
import { EXPECTED_NOW } from '../../presence/stored-expectations.ts';

/**
 * `new`: heard for too short a time to know how long it usually says nothing. `no_format`: it was heard, and all it sent is
 * rejected for want of a format.
 */
export const READER_STATES = ['heard', 'new', 'silent', 'disconnected', 'never', 'no_format'] as const;

export type ReaderState = (typeof READER_STATES)[number];

export const READER_SORT = ['name', 'last_message_at', 'created_at'] as const;

export type ReaderSort = (typeof READER_SORT)[number];

/** Since when it is disconnected or silent, whichever was first; null if it is neither. Over `readers reader`. */
export const UNHEARD_SINCE = sql.fragment`(
  select min(span.started_at) from reader_spans span
  where span.org_id = reader.org_id and span.reader_id = reader.id and span.ended_at is null
    and span.state in ('silent', 'disconnected'))`;

const isNow = (state: 'silent' | 'disconnected') => sql.fragment`exists (
    select from reader_spans span
    where span.org_id = reader.org_id and span.reader_id = reader.id and span.state = ${state}
      and span.ended_at is null)`;

/** A `ReaderState`: over `readers reader`, with its row of `reader_counters` as `counted`, if it has one. */
export const READER_STATE = sql.fragment`case
  when counted.last_message_at is null then 'never'
  when ${isNow('disconnected')} then 'disconnected'
  when ${isNow('silent')} then 'silent'
  when reader.format = ${NO_FORMAT} then 'no_format'
  when ${EXPECTED_NOW} is null then 'new'
  else 'heard' end`;
