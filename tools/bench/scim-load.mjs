// What two identity providers at once would send: one asks and changes at a steady rate, one creates with ten clients.
import { memberOperation } from './scim-client.mjs';

const requestsPerSecond = 25;
const writers = 10;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** Requests of a synchronisation, more of those that are sent more often. */
const mix = ({ groups, ids, someone }) => [
  ['GET', '/Users', { query: { filter: `userName eq "person.${someone()}@crowd.test"` } }],
  ['GET', '/Users', { query: { filter: `externalId eq "ext-${someone()}"` } }],
  ['GET', '/Users', { query: { filter: `emails[type eq "work"].value eq "person.${someone()}@crowd.test"` } }],
  ['GET', `/Users/${ids[someone() % ids.length]}`],
  [
    'GET',
    '/Groups',
    { query: { filter: `displayName eq "Group ${1 + (someone() % 500)}"`, excludedAttributes: 'members' } },
  ],
  ['GET', '/Users', { query: { startIndex: someone(), count: 100 } }],
  [
    'PATCH',
    `/Users/${ids[someone() % ids.length]}`,
    { body: { schemas: [PATCH], Operations: [{ op: 'replace', path: 'title', value: `Title ${someone()}` }] } },
  ],
  [
    'PATCH',
    `/Groups/${groups.large}`,
    {
      body: {
        schemas: [PATCH],
        Operations: [memberOperation(...(someone() % 2 ? ['add'] : ['remove']), ids[someone() % ids.length])],
      },
    },
  ],
];

const isRefused = ({ status }) => status >= 400;

/** Sends both for the given time and resolves with how long each request took; rejects when one was refused. */
export async function mixedLoad({ client, data, groups, seconds }) {
  const total = await data.countUsers();
  const ids = await data.userIds(0, 5_000);
  let state = 1;
  // Lehmer's generator: the same requests in every run.
  const someone = () => 1 + ((state = (state * 48_271) % 2_147_483_647) % (total - 200));
  const times = { mixed: [], writers: [] };
  const refused = [];
  const noted = async (kind, answer) => {
    const reply = await answer;
    times[kind].push(reply.ms);
    if (isRefused(reply)) refused.push(`${kind} ${reply.status} ${reply.text.slice(0, 300)}`);
    return reply;
  };
  const end = performance.now() + seconds * 1_000;
  const steady = async () => {
    const sent = [];
    for (let at = performance.now(); at < end; at += 1_000 / requestsPerSecond) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
      const requests = mix({ groups, ids, someone });
      sent.push(noted('mixed', client.request(...requests[sent.length % requests.length])));
    }
    await Promise.all(sent);
  };
  let created = 0;
  const writer = async (number) => {
    while (performance.now() < end) {
      created += 1;
      const userName = `new-${number}-${created}@crowd.test`;
      const reply = await noted('writers', client.request('POST', '/Users', { body: { userName } }));
      if (isRefused(reply)) continue;
      const { id } = JSON.parse(reply.text);
      await noted('writers', client.patch(`/Groups/${groups.small}`, memberOperation('add', id)));
    }
  };
  await Promise.all([steady(), ...Array.from({ length: writers }, (_each, number) => writer(number))]);
  if (refused.length > 0) throw new Error(`${refused.length} requests were refused, first: ${refused[0]}`);
  return { times, created, seconds };
}
