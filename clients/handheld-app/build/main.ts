// `npm install` ends with this. What bundles the app may be left out of an installation (`--omit=optional`), as the image
// does, which takes only what was made of it.
import { unlessLeftOut } from '../../ui/build/unless-left-out.ts';

await unlessLeftOut("The handhelds' web app", async () => {
  const { buildApp } = await import('./build-app.ts');
  await buildApp();
});
