import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../base/checks/fields.ts';

export class NamedSchemas {
  readonly #schemas = new Map<string, JsonSchema>();

  get all(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#schemas);
  }

  /**
   * Replaces every named (titled) schema by a reference, itself included.
   *
   * @throws Error if one name has two meanings.
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
