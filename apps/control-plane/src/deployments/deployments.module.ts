import { Module } from '@nestjs/common';
import { RegionsModule } from '../regions/regions.module';
import { SecretsModule } from '../secrets/secrets.module';
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

@Module({
  imports: [RegionsModule, VersionsModule, SecretsModule],
  controllers: [DeploymentsController, DeploymentDirectoryController],
  providers: [
    DeploymentAddresses,
    DeploymentsRepository,
    DeploymentSecretsRepository,
    DeploymentsService,
    DeploymentSetupService,
    DeploymentVersionsService,
    DeploymentTokensService,
    DeploymentDirectoryService,
  ],
  exports: [SecretsModule, DeploymentAddresses, DeploymentsRepository, DeploymentSecretsRepository],
})
export class DeploymentsModule {}
