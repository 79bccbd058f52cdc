/** Resolves a JSON Pointer (RFC 6901); undefined if it leads nowhere. */
export type Getter = (value: unknown) => unknown;

const SYNTAX = /^(?:\/(?:[^~/]|~[01])*)*$/;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Unescaped reference tokens of a JSON Pointer; undefined if it is invalid. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (!SYNTAX.test(pointer)) {
    return undefined;
  }
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Compiles a walk along `tokens`, through own members and array elements only. */
export function compileTokens(tokens: readonly string[]): Getter {
  const [first, second, ...more] = tokens.map(compileStep);
  // One closure per step would do; but nearly all pointers have one or two steps, so these are written out.
  if (first === undefined) {
    return (value) => value;
  }
  if (second === undefined) {
    return first;
  }
  if (more.length === 0) {
    return (value) => second(first(value));
  }
  return (value) => more.reduce((node, step) => step(node), second(first(value)));
}

export function compileStep(key: string): Getter {
  const index = INDEX.test(key) ? Number(key) : undefined;
  // Inherited members (`constructor`, `__proto__`) are in the payload only if they are the object's own;
  // for all other keys the plain look-up finds own members only, and is faster.
  const inherited = key in {};
  return (value) => {
    if (typeof value !== 'object' || value === null) {
      return undefined;
    }
    if (Array.isArray(value)) {
      return index === undefined ? undefined : value[index];
    }
    if (inherited && !Object.hasOwn(value, key)) {
      return undefined;
    }
    return (value as Record<string, unknown>)[key];
  };
}
