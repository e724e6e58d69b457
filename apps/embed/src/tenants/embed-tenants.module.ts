import { Module } from '@nestjs/common';
import { SessionNoticesModule } from '../session-notices';
import { EmbedTenantsController } from './embed-tenants.controller';
import { EmbedTenantsRepository } from './embed-tenants.repository';
import { EmbedTenantsService } from './embed-tenants.service';

@Module({
  imports: [SessionNoticesModule],
  controllers: [EmbedTenantsController],
  providers: [EmbedTenantsService, EmbedTenantsRepository],
  exports: [EmbedTenantsRepository],
})
export class EmbedTenantsModule {}
