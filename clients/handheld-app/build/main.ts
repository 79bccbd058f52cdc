// `npm install` ends with this. What bundles the app may be left out of an installation (`--omit=optional`), as the image
// does, which takes only what was made of it.
try {
  const { buildApp } = await import('./build-app.ts');
  await buildApp();
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' || process.env['npm_lifecycle_event'] !== 'postinstall') {
    throw error;
  }
  process.stderr.write(
    "The handhelds' web app was not built, as esbuild is not installed: npm install without --omit=optional builds it.\n",
  );
}
