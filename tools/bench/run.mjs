// npm run bench [-- reads writes validations audit-export listings scim creates data cold-starts workspace workspace-crud rendering embed embed-pages notifications agents dbt]: figures of one run on this machine, as ratios where they compare.
import { benchAgents } from './agents.mjs';
import { benchAuditExport } from './audit-export.mjs';
import { benchColdStarts } from './cold-starts.mjs';
import { benchCreates } from './creates.mjs';
import { benchData } from './data.mjs';
import { benchDbt } from './dbt.mjs';
import { benchEmbed } from './embed.mjs';
import { benchEmbedPages } from './embed-pages.mjs';
import { benchListings } from './listings.mjs';
import { benchNotifications } from './notifications.mjs';
import { benchReads } from './reads.mjs';
import { benchRendering } from './rendering.mjs';
import { benchScim } from './scim.mjs';
import { stopEverything } from './processes.mjs';
import { benchValidations } from './validations.mjs';
import { benchWorkspace } from './workspace.mjs';
import { benchWorkspaceCrud } from './workspace-crud.mjs';
import { benchWrites } from './writes.mjs';

const benches = {
  reads: benchReads,
  writes: benchWrites,
  validations: benchValidations,
  'audit-export': benchAuditExport,
  creates: benchCreates,
  listings: benchListings,
  scim: benchScim,
  data: benchData,
  'cold-starts': benchColdStarts,
  workspace: benchWorkspace,
  'workspace-crud': benchWorkspaceCrud,
  rendering: benchRendering,
  embed: benchEmbed,
  'embed-pages': benchEmbedPages,
  notifications: benchNotifications,
  agents: benchAgents,
  dbt: benchDbt,
};
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(name);
    console.table(await bench());
    await stopEverything();
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await stopEverything();
}
