import { messageOf } from '../../base/errors.ts';
import { compileSource } from './mapping/compile-source.ts';
import type { Identity } from './mapping/language/definition.ts';

/** A stored format in a list. */
export interface DescribedSource {
  description: string;
  identities: readonly Identity[];
  /** Why it cannot be used. */
  fault: string | null;
}

/** For a worker thread, because an organization's formats may take a second. */
export function describeSources(sources: readonly string[]): DescribedSource[] {
  return sources.map((source) => {
    try {
      const { description, identities } = compileSource(source);
      return { description, identities, fault: null };
    } catch (error) {
      return { description: '', identities: [], fault: messageOf(error) };
    }
  });
}
