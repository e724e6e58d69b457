import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { DataTokensModule } from '../data-tokens/data-tokens.module';
import { EnvironmentTokensRepository } from '../environments/environment-tokens.repository';
import { RegionsModule } from '../regions/regions.module';
import { SecretsModule } from '../../credentials/secrets/secrets.module';
import { VersionsModule } from '../versions/versions.module';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentDirectoryController } from './deployment-directory.controller';
import { DeploymentDirectoryService } from './deployment-directory.service';
import { DeploymentSecretsService } from './deployment-secrets.service';
import { DeploymentSetupService } from './deployment-setup.service';
import { DeploymentTokensService } from './deployment-tokens.service';
import { DeploymentVersionsService } from './deployment-versions.service';
import { DeploymentsController } from './deployments.controller';
import { DeploymentsRepository } from './deployments.repository';
import { DeploymentsService } from './deployments.service';

@Module({
  imports: [RegionsModule, VersionsModule, SecretsModule, AccessModule, DataTokensModule],
  controllers: [DeploymentsController, DeploymentDirectoryController],
  providers: [
    DeploymentAddresses,
    DeploymentsRepository,
    DeploymentSecretsService,
    EnvironmentTokensRepository,
    DeploymentsService,
    DeploymentSetupService,
    DeploymentVersionsService,
    DeploymentTokensService,
    DeploymentDirectoryService,
  ],
  exports: [SecretsModule, DataTokensModule, DeploymentAddresses, DeploymentsRepository, EnvironmentTokensRepository],
})
export class DeploymentsModule {}
