/**
 * `new`: heard for too short a time to know how long it usually says nothing. `no_format`: it was heard, and all it sent is
 * rejected for want of a format.
 */
export const READER_STATES = ['heard', 'new', 'silent', 'disconnected', 'never', 'no_format'] as const;

export type ReaderState = (typeof READER_STATES)[number];

export const READER_SORT = ['name', 'last_message_at', 'created_at'] as const;

export type ReaderSort = (typeof READER_SORT)[number];
