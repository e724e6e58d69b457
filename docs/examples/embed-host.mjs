// A host application in 30 lines: PLINTH_URL=https://acme.example.com PLINTH_API_KEY=sk-... node embed-host.mjs
import { createServer } from 'node:http';

const {
  PLINTH_URL: plinth,
  PLINTH_API_KEY: key,
  DEPLOYMENT_ID: deploymentId,
  DASHBOARD: dashboard,
  PORT = '5000',
} = process.env;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

/** A session for whoever is signed in to this application; the key never leaves the server. */
async function sessionFor(externalId) {
  const user = { deploymentId: Number(deploymentId), externalId, embedTenantName: 'acme' };
  const reply = await fetch(`${plinth}/api/v1/embed/generate-session`, {
    method: 'POST',
    headers,
    body: JSON.stringify(user),
  });
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return (await reply.json()).sessionId;
}

const page = (session) => `<!doctype html><title>Host</title><h1>Our application</h1>
<iframe title="Orders" src="${plinth}/embed/dashboard/${dashboard}?session=${session}" style="width:100%;border:0"></iframe>
<script>addEventListener('message', ({ origin, data }) => {
  const frame = document.querySelector('iframe');
  if (origin !== '${plinth}' || data.source !== 'plinth') return;
  if (data.type === 'height') frame.style.height = data.height + 'px';
  if (data.type === 'ended') frame.remove();
});</script>`;

createServer(async (request, response) => {
  const user = new URL(request.url, 'http://host').searchParams.get('user') ?? 'ada';
  const text = await sessionFor(user).then(page, (error) => String(error));
  response.setHeader('content-type', 'text/html').end(text);
}).listen(Number(PORT), () => console.log(`http://localhost:${PORT}`));
