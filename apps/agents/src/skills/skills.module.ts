import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents';
import { SkillsController } from './skills.controller';
import { Skills } from './skills.service';

@Module({ imports: [AgentsModule], controllers: [SkillsController], providers: [Skills], exports: [Skills] })
export class SkillsModule {}
