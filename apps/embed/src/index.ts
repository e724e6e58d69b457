import { statefulService } from '@plinth/host';
import { embedSettings } from './embed.config';
import { EmbedModule } from './embed.module';

/** The embed service: embed tenants, sessions and access. */
export const embed = statefulService({
  schema: { service: 'embed', entities: [], migrations: { preDeploy: [], postDeploy: [] } },
  settings: embedSettings,
  module: EmbedModule,
});
