export { startNatsServer, type NatsServer } from '@plinth/local-services';
