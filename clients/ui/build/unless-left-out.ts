/**
 * Builds an app, unless this is the end of an installation without what builds it.
 *
 * @param name of what is built, at the beginning of a sentence.
 * @param build is to import whatever may be missing when it is called.
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
