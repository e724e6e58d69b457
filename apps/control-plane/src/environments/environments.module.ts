import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module';
import { EnvironmentTokensRepository } from './environment-tokens.repository';
import { EnvironmentTokensService } from './environment-tokens.service';
import { EnvironmentsController } from './environments.controller';
import { EnvironmentsService } from './environments.service';

@Module({
  imports: [DeploymentsModule],
  controllers: [EnvironmentsController],
  providers: [EnvironmentsService, EnvironmentTokensService, EnvironmentTokensRepository],
})
export class EnvironmentsModule {}
