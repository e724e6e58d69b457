import { statefulService } from '@plinth/host';
import { deploymentProblems } from './deployments';
import { controlPlaneSettings } from './control-plane.config';
import { ControlPlaneModule } from './control-plane.module';
import { controlPlaneSchema } from './control-plane.schema';
import { tenantsService } from './operator';

export { CheckpointSigner, type Checkpoint, type CheckpointPublicKey } from './audit';
export { controlPlaneSchema } from './control-plane.schema';
export {
  accountSettings,
  appConfigService,
  auditVerifier,
  operatorUsers,
  passwordLinkIssuer,
  signingKeys,
  tenantsService,
} from './operator';

/** The account that is made when there is none. */
export const FIRST_TENANT = 'local';

/** The control plane: accounts, credentials, deployments, and the audit log. */
export const controlPlane = statefulService({
  schema: controlPlaneSchema,
  settings: controlPlaneSettings,
  module: () => ControlPlaneModule,
  problems: deploymentProblems,
  hasOperator: true,
  afterStart: async ({ config, logger }, database) => {
    const { bootstrapApiKey, bootstrapHosts } = config;
    if (bootstrapApiKey === undefined) return;
    const made = await tenantsService(database).createFirst({
      name: FIRST_TENANT,
      hosts: bootstrapHosts.split(',').map((host) => host.trim()),
      adminEmail: 'admin@localhost',
      apiKey: bootstrapApiKey,
    });
    if (made) logger.info({ tenant: FIRST_TENANT }, 'made the first tenant');
  },
});
