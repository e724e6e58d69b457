import { statefulService } from '@plinth/host';
import { embedSettings } from './embed.config';
import { EmbedModule } from './embed.module';
import { embedSchema } from './embed.schema';

/** The embed service: embed tenants, sessions and access. */
export const embed = statefulService({
  schema: embedSchema,
  settings: embedSettings,
  module: () => EmbedModule,
});

export { embedSchema };
