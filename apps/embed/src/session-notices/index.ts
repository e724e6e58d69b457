export { SessionNoticesModule } from './session-notices.module';
export { SessionNotices } from './session-notices';
