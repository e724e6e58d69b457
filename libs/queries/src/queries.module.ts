import { Module } from '@nestjs/common';
import { QueryRunner } from './query-runner.service';

/** Gives the {@link QueryRunner} of a service. */
@Module({ providers: [QueryRunner], exports: [QueryRunner] })
export class QueriesModule {}
