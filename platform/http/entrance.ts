import type { IncomingMessage } from 'node:http';
import type { Caller, Headers, Problem } from './problem.ts';
import type { Route } from './route.ts';

export interface Access<Context, Credential = string> {
  /** The caller named by a request. @throws Problem `unauthorized` if there is none. */
  credentialOf(request: IncomingMessage): Credential;
  /** @throws Problem `unauthorized` for a bad credential. */
  authenticate(credential: Credential): Promise<Context>;
  /** @throws Problem if the caller may not use the route. */
  authorize(context: Context, route: Route<Context>): void;
  callerOf(context: Context): Caller;
}

export interface Limiter<Context> {
  /** Headers of free answers. */
  idle(): Headers;
  /** Takes one token. @throws Problem `rate_limited`, with the same headers. */
  take(context: Context): Promise<Headers>;
  /** Takes further tokens, all or none. @throws Problem `rate_limited` if the caller cannot pay all of them. */
  takeMore(context: Context, tokens: number): Promise<Headers>;
}

export type NoteRefusal<Credential = string> = (
  credential: Credential,
  refusal: Problem,
  address: string | undefined,
) => void;

export interface Entrance<Context, Credential = string> {
  routes: readonly Route<Context>[];
  access: Access<Context, Credential>;
  limiter?: Limiter<Context>;
  /** Answers of routes with `hasEtag` have one, and are 304 to callers who have them. */
  hasEtags?: true;
  /** Answers a request without a valid credential, by its address; by default with its own refusal. */
  refuseSignIn?: (refusal: Problem, address: string | undefined) => Problem;
  noteRefusal?: NoteRefusal<Credential>;
}
