import type { Data } from './types.ts';
import { type Read, useRead } from './use-read.ts';

export type SignInWays = Data<'GET /sign-in-ways'>;

/** How people sign in here: by passwords, by single sign-on, or both. */
export function useSignInWays(): Read<{ data: SignInWays }> {
  return useRead('/sign-in-ways');
}
