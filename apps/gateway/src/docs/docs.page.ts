import { dirname, join } from 'node:path';
import { publicDocument } from '@plinth/contract';
import { Router, static as serveStatic } from 'express';
import helmet from 'helmet';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Plinth Platform API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <link rel="icon" href="/docs/assets/favicon-32x32.png" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** The document as the page shows it: requests that a reader tries out go to the host that serves the page. */
const reference = { ...publicDocument, servers: [{ url: '/' }] };

/** The API reference at `/docs`, rendered in the browser from files that are shipped with the gateway. */
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
  router.get('/', (_request, response) => void response.type('html').send(page));
  router.get('/start.js', (_request, response) => void response.type('js').send(start));
  router.get('/openapi.json', (_request, response) => void response.json(reference));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    router.use(`/assets/${file}`, serveStatic(join(assets, file), { maxAge: '1d', fallthrough: false }));
  }
  return router;
}
