import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../base/checks/fields.ts';

/** Gathers the schemas that have a name (their `title`), so that each stands in the document once. */
export class NamedSchemas {
  readonly #schemas = new Map<string, JsonSchema>();

  /** By name, in the order in which they came up. */
  get all(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#schemas);
  }

  /**
   * The schema with everything that is named replaced by a reference, itself included.
   *
   * @throws Error if a name means two things.
   */
  refer(schema: JsonSchema): JsonSchema {
    const { title, ...rest } = schema;
    if (typeof title !== 'string') {
      return this.#referInside(rest);
    }
    const known = this.#schemas.get(title);
    if (known === undefined) {
      this.#schemas.set(title, {});
    }
    const referring = this.#referInside(rest);
    if (known !== undefined && !isDeepStrictEqual(known, referring)) {
      throw new Error(`two schemas are called ${title}`);
    }
    this.#schemas.set(title, referring);
    return { $ref: `#/components/schemas/${title}` };
  }

  #referInside(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#referKeyword(keyword, value)]),
    );
  }

  #referKeyword(keyword: string, value: unknown): unknown {
    if (keyword === 'properties') {
      const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>);
      return Object.fromEntries(properties.map(([name, property]) => [name, this.refer(property)]));
    }
    if (keyword === 'items') {
      return this.refer(value as JsonSchema);
    }
    return keyword === 'anyOf' ? (value as JsonSchema[]).map((each) => this.refer(each)) : value;
  }
}
