import { hash } from 'node:crypto';

/**
 * The only script of pages for frames. It tells the host how high the page is and when its session has ended, takes the
 * session out of the address, and keeps the token of the first page where the browser refuses cookies: then it goes with
 * forms, and in a header.
 */
const script = `'use strict';
(() => {
  const { frame, status, ended } = document.body.dataset;
  const tell = (message) => parent !== window && parent.postMessage({ source: 'plinth', frame, ...message }, '*');
  const address = new URL(location.href);
  if (address.searchParams.has('session')) {
    address.searchParams.delete('session');
    if (frame) address.searchParams.set('frame', frame);
    history.replaceState(null, '', address);
  }
  let height = 0;
  new ResizeObserver(() => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (now !== height) tell({ type: 'height', height: (height = now) });
  }).observe(document.documentElement);
  if (!status) return tell({ type: 'ended' });

  let token = document.querySelector('input[name=token]')?.value;
  const end = () => {
    const note = document.createElement('p');
    note.setAttribute('role', 'status');
    note.className = 'plinth-ended';
    note.textContent = ended;
    document.body.replaceChildren(note);
    tell({ type: 'ended' });
  };
  const ask = (query, headers) => fetch(status + query, { headers, cache: 'no-store' }).then((reply) => reply.status, () => 0);
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  (async () => {
    if (token && (await ask('&wait=0')) === 204) {
      for (const input of document.querySelectorAll('input[name=token]')) input.remove();
      token = undefined;
    }
    let failures = 0;
    for (;;) {
      const code = await ask('', token ? { authorization: 'Bearer ' + token } : {});
      if (code === 401 || code === 403 || code === 404) return end();
      failures = code === 204 ? 0 : failures + 1;
      if (failures) await pause(Math.min(30000, 1000 * 2 ** failures));
    }
  })();
})();
`;

/** Its name has the bytes in it, so that browsers keep it for ever. */
export const embedScript = { text: script, path: `/embed/assets/${hash('sha256', script).slice(0, 16)}.js` };
