import { AppError } from './errors.ts';

/**
 * 1 to 255 characters, none of them U+0000, which the database refuses.
 *
 * @param owner names it in the message: `a reader`.
 * @throws AppError `invalid_input`.
 */
export function requireName(owner: string, name: string): void {
  const length = [...name].length;
  if (length < 1 || length > 255 || name.includes('\u0000')) {
    throw new AppError('invalid_input', `The name of ${owner} has 1 to 255 characters`);
  }
}
