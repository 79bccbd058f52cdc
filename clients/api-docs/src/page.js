// Nothing leaves for elsewhere: no telemetry, fonts, proxy or assistant of the library's makers. The page's policy allows
// none of it either.
const show = (content, here) =>
  window.Scalar.createApiReference('#reference', {
    // The address in the guide is this one, unless the operator set another.
    content: content.replaceAll('http://127.0.0.1:8080', here),
    servers: [{ url: here }],
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    // The description's own examples instead.
    hiddenClients: true,
    // WCAG 2.2: by itself its colours are too faint, its arrows too small, and its code scrolls by mouse only.
    customCss: `
    .light-mode {
      --scalar-color-2: #4b5058; --scalar-color-3: #5c626b; --scalar-color-blue: #005c99;
      --scalar-color-green: #00643f; --scalar-color-yellow: #725300; --scalar-color-red: #b80000;
      --scalar-color-orange: #974200; --scalar-color-purple: #5c3aa8;
    }
    .dark-mode {
      --scalar-color-3: #a8adb5; --scalar-color-red: #ff9a9a; --scalar-color-blue: #7cc4ff;
      --scalar-color-purple: #c3b0ff;
    }
    code.hljs {
      max-height: none !important; overflow: hidden !important; white-space: pre-wrap !important; overflow-wrap: anywhere;
    }
    button[aria-expanded].absolute { min-width: 24px; min-height: 24px; }`,
  });

// Where this page is from, below whatever path a proxy adds.
const here = new URL('..', location.href).href.slice(0, -1);
fetch('openapi.json').then(async (answer) => show(await answer.text(), here));
