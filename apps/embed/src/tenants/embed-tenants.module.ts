import { Module } from '@nestjs/common';
import { EmbedTenantsRepository } from './embed-tenants.repository';

@Module({ providers: [EmbedTenantsRepository], exports: [EmbedTenantsRepository] })
export class EmbedTenantsModule {}
