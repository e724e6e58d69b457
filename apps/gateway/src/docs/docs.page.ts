import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataDocument, publicDocument, type ContractDocument } from '@plinth/contract';
import { Router } from 'express';
import helmet from 'helmet';
import { readerDocument } from './reader-document';
import { readerStart } from './reader-start';
import { shippedFile } from './shipped-file';

/** A document and where it is read. */
interface Reference {
  path: string;
  title: string;
  document: ContractDocument;
  other: string;
  /** The credential that its operations take first. */
  credential: string;
}

const references: readonly Reference[] = [
  {
    path: '',
    title: 'Plinth Platform API',
    document: publicDocument,
    other: 'Queries over the data of a deployment are the [Data API](/docs/data).',
    credential: 'bearerAuth',
  },
  {
    path: '/data',
    title: 'Plinth Data API',
    document: dataDocument,
    other: 'Everything else is the [Platform API](/docs).',
    credential: 'dataToken',
  },
];

const pageOf = ({ path, title }: Reference): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <noscript><p>This page needs JavaScript; the document is at <a href="/docs${path}/openapi.json">openapi.json</a>.</p></noscript>
    <script src="/docs/assets/reader.js"></script>
    <script src="/docs${path}/start.js"></script>
  </body>
</html>
`;

/** The document for programs. Requests that a reader tries out go to the host that serves the page. */
const served = ({ path, document }: Reference): ContractDocument =>
  path === '' ? { ...document, servers: [{ url: '/' }] } : document;

/** What the page reads. */
function shown(reference: Reference): object {
  const document = served(reference);
  const description = String(document.info['description'] ?? '');
  const links = `${reference.other} This document for programs: [openapi.json](/docs${reference.path}/openapi.json).`;
  return readerDocument(document, `${description}\n\n${links}`);
}

/** The bundle for browsers; the entry of its package is a plugin for another server. */
const bundle = (): Promise<Buffer> =>
  readFile(join(dirname(require.resolve('@scalar/fastify-api-reference')), 'js', 'standalone.js'));

const text = (content: string) => (): Promise<Buffer> => Promise.resolve(Buffer.from(content));

/** The API references at `/docs` and `/docs/data`, rendered in the browser from files that are shipped with the gateway. */
export function docsPage(): Router {
  const router = Router();
  router.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          connectSrc: ["'self'"],
          fontSrc: ["'self'", 'data:'],
          imgSrc: ["'self'", 'data:', 'blob:'],
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
    const { path } = reference;
    const page = { type: 'html', read: text(pageOf(reference)), maxAgeSeconds: 0 };
    router.get(path || '/', shippedFile(page));
    router.get(
      `${path}/start.js`,
      shippedFile({ ...page, type: 'js', read: text(readerStart(path, reference.credential)) }),
    );
    for (const [name, content] of [
      ['openapi.json', served],
      ['reader.json', shown],
    ] as const) {
      const read = (): Promise<Buffer> => text(JSON.stringify(content(reference)))();
      router.get(`${path}/${name}`, shippedFile({ ...page, type: 'json', read }));
    }
  }
  router.get('/assets/reader.js', shippedFile({ type: 'js', read: bundle, maxAgeSeconds: 86_400 }));
  return router;
}
