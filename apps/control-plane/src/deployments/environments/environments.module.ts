import { Module } from '@nestjs/common';
import { DataTokensModule } from '../data-tokens/data-tokens.module';
import { DeploymentsModule } from '../deployments/deployments.module';
import { EnvironmentTokensService } from './environment-tokens.service';
import { EnvironmentsController } from './environments.controller';
import { EnvironmentsService } from './environments.service';

@Module({
  imports: [DataTokensModule, DeploymentsModule],
  controllers: [EnvironmentsController],
  providers: [EnvironmentsService, EnvironmentTokensService],
  exports: [EnvironmentsService],
})
export class EnvironmentsModule {}
