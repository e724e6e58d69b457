import { Module } from '@nestjs/common';
import { ProviderModule } from '../provider';
import { SummariesController } from './summaries.controller';
import { Summaries } from './summaries.service';

@Module({ imports: [ProviderModule], controllers: [SummariesController], providers: [Summaries] })
export class SummariesModule {}
