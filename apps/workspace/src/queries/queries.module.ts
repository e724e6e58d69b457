import { Module } from '@nestjs/common';
import { QueryRunner } from './query-runner.service';

@Module({ providers: [QueryRunner], exports: [QueryRunner] })
export class QueriesModule {}
