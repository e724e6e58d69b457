import { dirname, join } from 'node:path';
import { dataDocument, publicDocument, type ContractDocument } from '@plinth/contract';
import { Router, static as serveStatic } from 'express';
import helmet from 'helmet';

/** A document and where it is read. */
interface Reference {
  path: string;
  title: string;
  document: ContractDocument;
}

const references: readonly Reference[] = [
  { path: '', title: 'Plinth Platform API', document: publicDocument },
  { path: '/data', title: 'Plinth Data API', document: dataDocument },
];

const links = references.map(({ path, title }) => `<a href="/docs${path}">${title}</a>`).join(' · ');

const pageOf = ({ path, title }: Reference): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <link rel="icon" href="/docs/assets/favicon-32x32.png" />
  </head>
  <body class="swagger-ui">
    <nav class="wrapper">${links}</nav>
    <div id="reference"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs${path}/start.js"></script>
  </body>
</html>
`;

const startOf = ({ path }: Reference): string => `SwaggerUIBundle({
  url: '/docs${path}/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** The platform's document as its page shows it: requests that a reader tries out go to the host that serves the page. */
const shown = ({ path, document }: Reference): object =>
  path === '' ? { ...document, servers: [{ url: '/' }] } : document;

/** The API references at `/docs` and `/docs/data`, rendered in the browser from files that are shipped with the gateway. */
export function docsPage(): Router {
  const router = Router();
  // The package's own entry would load the whole browser bundle into this process.
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  router.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          connectSrc: ["'self'"],
          fontSrc: ["'self'", 'data:'],
          imgSrc: ["'self'", 'data:'],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
    }),
  );
  for (const reference of references) {
    const [page, start, document] = [pageOf(reference), startOf(reference), shown(reference)];
    router.get(reference.path || '/', (_request, response) => void response.type('html').send(page));
    router.get(`${reference.path}/start.js`, (_request, response) => void response.type('js').send(start));
    router.get(`${reference.path}/openapi.json`, (_request, response) => void response.json(document));
  }
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    router.use(`/assets/${file}`, serveStatic(join(assets, file), { maxAge: '1d', fallthrough: false }));
  }
  return router;
}
