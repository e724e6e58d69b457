import { Module } from '@nestjs/common';
import { SessionNotices } from './session-notices';

@Module({ providers: [SessionNotices], exports: [SessionNotices] })
export class SessionNoticesModule {}
