/**
 * Builds an app, unless an installation without build tools just ended.
 *
 * @param name of the result, at the beginning of a sentence.
 * @param build imports everything that may be missing when it is called.
 */
export async function unlessLeftOut(name: string, build: () => Promise<void>): Promise<void> {
  try {
    await build();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || process.env['npm_lifecycle_event'] !== 'postinstall') {
      throw error;
    }
    process.stderr.write(
      `${name} was not built, as what it is made with is not installed: npm install without --omit=optional builds it.\n`,
    );
  }
}
