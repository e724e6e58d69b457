import { colours, repairs } from './reader-repairs';

/** Settings of the reader: nothing leaves the host, and nothing of Scalar's own services is offered. */
const settings = {
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  hideModels: true,
  theme: 'default',
  customCss: colours,
  persistAuth: false,
  defaultOpenFirstTag: false,
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: true,
    dart: true,
    fsharp: true,
    go: true,
    http: true,
    java: true,
    js: true,
    kotlin: true,
    node: true,
    objc: true,
    ocaml: true,
    php: true,
    powershell: true,
    r: true,
    ruby: true,
    rust: true,
    swift: true,
    shell: ['wget', 'httpie'],
    python: ['python3', 'httpx_async', 'httpx_sync', 'aiohttp'],
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/** The script that starts the reader for the document below that path. Requests go to the host that served the page. */
export function readerStart(path: string, credential: string): string {
  const configuration = {
    ...settings,
    url: `/docs${path}/reader.json`,
    authentication: { preferredSecurityScheme: credential },
  };
  const ownHost = path === '' ? '{ servers: [{ url: location.origin }] }' : '{}';
  return `Scalar.createApiReference('#reference', Object.assign(${JSON.stringify(configuration)}, ${ownHost}));\n${repairs}`;
}
