import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import { RegionsModule } from '../regions/regions.module';
import { VersionsModule } from '../versions/versions.module';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentDirectoryController } from './deployment-directory.controller';
import { DeploymentDirectoryService } from './deployment-directory.service';
import { DeploymentSecretsRepository } from './deployment-secrets.repository';
import { DeploymentSetupService } from './deployment-setup.service';
import { DeploymentTokensService } from './deployment-tokens.service';
import { DeploymentVersionsService } from './deployment-versions.service';
import { DeploymentsController } from './deployments.controller';
import { DeploymentsRepository } from './deployments.repository';
import { DeploymentsService } from './deployments.service';

const secretBox = {
  provide: SecretBox,
  inject: [CONFIG],
  useFactory: ({ encryptionKeys }: ConfigOf<typeof databaseSettings>) => new SecretBox(encryptionKeys),
};

@Module({
  imports: [RegionsModule, VersionsModule],
  controllers: [DeploymentsController, DeploymentDirectoryController],
  providers: [
    secretBox,
    DeploymentAddresses,
    DeploymentsRepository,
    DeploymentSecretsRepository,
    DeploymentsService,
    DeploymentSetupService,
    DeploymentVersionsService,
    DeploymentTokensService,
    DeploymentDirectoryService,
  ],
  exports: [SecretBox, DeploymentAddresses, DeploymentsRepository, DeploymentSecretsRepository],
})
export class DeploymentsModule {}
