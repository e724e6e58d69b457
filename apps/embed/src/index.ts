import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { embedSettings } from './embed.config';
import { EmbedModule } from './embed.module';

export const embedSchema: ServiceSchema = {
  service: 'embed',
  entities: [],
  migrations: { preDeploy: [], postDeploy: [DropIntents1701200000000] },
};

/** The embed service: embed tenants, sessions and access. */
export const embed = statefulService({
  schema: embedSchema,
  settings: embedSettings,
  module: EmbedModule,
});
