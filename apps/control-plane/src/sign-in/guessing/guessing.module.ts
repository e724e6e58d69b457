import { Module } from '@nestjs/common';
import { FailedAttemptsRepository } from './failed-attempts.repository';
import { GuessingThrottle } from './guessing-throttle';

@Module({ providers: [GuessingThrottle, FailedAttemptsRepository], exports: [GuessingThrottle] })
export class GuessingModule {}
