import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { DataTokensModule } from '../data-tokens/data-tokens.module';
import { RegionsModule } from '../regions/regions.module';
import { DeploymentSecretsModule } from '../secrets/deployment-secrets.module';
import { VersionsModule } from '../versions/versions.module';
import { DeploymentAddresses } from './deployment-addresses';
import { DeploymentNotices } from './deployment-notices';
import { DeploymentDirectoryController } from './deployment-directory.controller';
import { DeploymentDirectoryService } from './deployment-directory.service';
import { DeploymentRuntime } from './deployment-runtime';
import { DeploymentHosts } from './deployment-hosts.service';
import { DeploymentSecretsService } from './deployment-secrets.service';
import { DeploymentSetupService } from './deployment-setup.service';
import { DeploymentTokensService } from './deployment-tokens.service';
import { DeploymentVersionsService } from './deployment-versions.service';
import { DeploymentsController } from './deployments.controller';
import { DeploymentsRepository } from './deployments.repository';
import { DeploymentsService } from './deployments.service';

@Module({
  imports: [KernelModule, RegionsModule, VersionsModule, DeploymentSecretsModule, DataTokensModule],
  controllers: [DeploymentsController, DeploymentDirectoryController],
  providers: [
    DeploymentAddresses,
    DeploymentNotices,
    DeploymentRuntime,
    DeploymentHosts,
    DeploymentsRepository,
    DeploymentSecretsService,
    DeploymentsService,
    DeploymentSetupService,
    DeploymentVersionsService,
    DeploymentTokensService,
    DeploymentDirectoryService,
  ],
  exports: [DeploymentAddresses, DeploymentHosts, DeploymentNotices, DeploymentsRepository],
})
export class DeploymentsModule {}
